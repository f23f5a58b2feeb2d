// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// Encodes and decodes `RefreshIntent` as JSON with sorted keys, so that equal intents have equal texts.
enum IntentText {
    static func encode(_ intent: RefreshIntent) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(intent), as: UTF8.self)
    }

    /// - Parameter stored: the token of the same row.
    static func decode<Token>(_ text: String, for stored: StoredToken<Token>?) -> RefreshIntent? {
        if let intent = try? JSONDecoder().decode(RefreshIntent.self, from: Data(text.utf8)) { return intent }
        // The column was edited. Assume that the intent was for the stored token: its server may still accept that one
        // for a grace period.
        return stored.map {
            RefreshIntent(session: $0.version.session, generation: $0.version.generation, beganAt: $0.obtainedAt)
        }
    }
}
