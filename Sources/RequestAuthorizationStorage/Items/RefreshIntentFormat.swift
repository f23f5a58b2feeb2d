// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// How an intent looks beside an item: the JSON of `RefreshIntent`.
enum RefreshIntentFormat {
    /// Written by hand, because every refresh waits for it: an encoder takes as long as all calls of the system around it.
    static func encode(_ intent: RefreshIntent) throws -> Data {
        let beganAt = intent.beganAt.timeIntervalSinceReferenceDate
        guard beganAt.isFinite else { return try JSONEncoder().encode(intent) }
        return Data(
            #"{"beganAt":\#(beganAt),"generation":\#(intent.generation),"session":"\#(intent.session.uuidString)"}"#
                .utf8)
    }

    static func decode(_ data: Data) -> RefreshIntent? { try? JSONDecoder().decode(RefreshIntent.self, from: data) }

    /// - Parameter stored: what is kept beside it.
    static func decode<Token>(_ data: Data, for stored: StoredToken<Token>?) -> RefreshIntent? {
        if let intent = decode(data) { return intent }
        // Whose it was is lost. If it was that of the token which is kept, its grace period is running; if not, one refresh
        // more does no harm.
        return stored.map {
            RefreshIntent(session: $0.version.session, generation: $0.version.generation, beganAt: $0.obtainedAt)
        }
    }
}
