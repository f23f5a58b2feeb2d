// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension Duration {
    /// Two hundred years: for ever, and few enough nanoseconds for an `Int64`, even if they are added to a time.
    package static let ages = Duration.seconds(Int64(200) * 365 * 86_400)

    /// The duration, at most ``ages`` in either direction. A longer one would end the program when it is added to a time.
    package var saturated: Duration { min(max(self, .zero - .ages), .ages) }

    /// A duration in seconds, at most ``ages`` in either direction; not a number becomes ``ages``.
    package static func saturated(seconds: Double) -> Duration {
        let limit = ages.seconds
        return seconds.isNaN ? ages : .seconds(min(max(seconds, -limit), limit))
    }
}

extension Date {
    /// The whole seconds since 1970, as tokens name times (RFC 7519 §2). Absurd dates become those ``Duration/ages`` from then.
    package var wholeSeconds: Int64 { Duration.saturated(seconds: timeIntervalSince1970).components.seconds }
}
