// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
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
}
