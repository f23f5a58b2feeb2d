// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import Synchronization

/// A clock whose time of day advances by a second with each look-up, so that tokens expire at any speed. Waits take
/// real time.
final class LookUpClock: AuthorizationClock {
    private let start = Date.now
    private let lookUps = Atomic(0)

    var now: Date { start + Double(lookUps.load(ordering: .relaxed)) }
    var uptime: Duration { SystemClock.system.uptime }
    func sleep(for duration: Duration) async throws { try await SystemClock.system.sleep(for: duration) }

    /// - Returns: the number of the look-up.
    func tick() -> Int { lookUps.add(1, ordering: .relaxed).oldValue }
}
