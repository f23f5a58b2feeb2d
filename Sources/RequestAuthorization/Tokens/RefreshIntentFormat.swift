// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Encodes and decodes `RefreshIntent` as JSON.
package enum RefreshIntentFormat {
    /// Writes the JSON by hand, because every refresh waits for it. `JSONEncoder` takes as long as all system calls.
    package static func encode(_ intent: RefreshIntent) throws -> Data {
        let beganAt = intent.beganAt.timeIntervalSinceReferenceDate
        guard beganAt.isFinite else { return try JSONEncoder().encode(intent) }
        return Data(
            #"{"beganAt":\#(beganAt),"generation":\#(intent.generation),"session":"\#(intent.session.uuidString)"}"#
                .utf8)
    }

    package static func decode(_ data: Data) -> RefreshIntent? {
        try? JSONDecoder().decode(RefreshIntent.self, from: data)
    }

    /// - Parameter stored: the token that is stored beside the intent.
    package static func decode<Token>(_ data: Data, for stored: StoredToken<Token>?) -> RefreshIntent? {
        if let intent = decode(data) { return intent }
        // The session and generation are lost. Assume that the intent was for the stored token: its server may still
        // accept that one for a grace period. If it was for another token, one more refresh does no harm.
        return stored.map {
            RefreshIntent(session: $0.version.session, generation: $0.version.generation, beganAt: $0.obtainedAt)
        }
    }
}
