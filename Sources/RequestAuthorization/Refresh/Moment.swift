// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A point in time on both clocks.
struct Moment: Hashable, Sendable {
    /// For expiry; changes when the clock is set.
    var date: Date
    /// For back-off and deadlines.
    var uptime: Duration
}

extension AuthorizationClock {
    var moment: Moment { Moment(date: now, uptime: uptime) }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
