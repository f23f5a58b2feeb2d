// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// How an intent stands in its column: the JSON of `RefreshIntent`, the same text for the same intent.
enum IntentText {
    static func encode(_ intent: RefreshIntent) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(intent), as: UTF8.self)
    }

    /// - Parameter stored: what is kept beside it.
    static func decode<Token>(_ text: String, for stored: StoredToken<Token>?) -> RefreshIntent? {
        if let intent = try? JSONDecoder().decode(RefreshIntent.self, from: Data(text.utf8)) { return intent }
        // Somebody has edited it. If it was that of the token which is kept, its grace period is running.
        return stored.map {
            RefreshIntent(session: $0.version.session, generation: $0.version.generation, beganAt: $0.obtainedAt)
        }
    }
}
