// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The settings of a session that a call needs, read once where that is possible.
struct SessionSettings: Sendable {
    /// Seconds without any byte, unless the request says otherwise.
    let idleTimeout: TimeInterval
    /// Seconds for each try of a call, its redirects included.
    let wholeTimeout: TimeInterval
    /// The highest number of requests with a connection of their own to a host at a time.
    let connectionsPerHost: Int
    /// The names of the fields that the session adds to every request, in lower case.
    let addedFields: [String]

    init(_ configuration: URLSessionConfiguration) {
        idleTimeout = configuration.timeoutIntervalForRequest
        wholeTimeout = configuration.timeoutIntervalForResource
        connectionsPerHost = max(1, configuration.httpMaximumConnectionsPerHost)
        addedFields = (configuration.httpAdditionalHeaders ?? [:]).keys.compactMap { ($0 as? String)?.lowercased() }
    }
}

/// The time-outs of one try of a call, which swift-corelibs-foundation does not keep by itself.
///
/// It cuts `timeoutInterval` to whole seconds, so that half a second ends a request before it begins. It ignores the
/// time-out that `URLRequest.init` was given, and `timeoutIntervalForResource`.
struct SessionLimits: Sendable {
    /// Seconds without any byte, unless the request says otherwise.
    let idle: TimeInterval
    /// When the try, its redirects included, must be over.
    let end: ContinuousClock.Instant?

    init(_ settings: SessionSettings) {
        idle = settings.idleTimeout
        end = settings.wholeTimeout < Self.sevenDays ? .now + .saturated(seconds: settings.wholeTimeout) : nil
    }

    /// The request with a time-out that `URLSession` can keep, and the seconds after which we must end it ourselves.
    func applied(to request: URLRequest, now: ContinuousClock.Instant = .now) -> (URLRequest, TimeInterval?) {
        var request = request
        var limit = end.map { now.duration(to: $0) / .seconds(1) }
        let own = request.timeoutInterval
        let wanted = own == Self.sixtySeconds ? idle : own
        let isCutToNothing = wanted > 0 && wanted < 1
        if isCutToNothing { limit = min(limit ?? wanted, wanted) }
        // The default stays: only `URLRequest` knows whether 60 seconds were set explicitly.
        // Foundation on Linux ends the program at a time-out like infinity.
        let possible = Duration.saturated(seconds: wanted) / .seconds(1)
        if own != Self.sixtySeconds || isCutToNothing || possible != wanted {
            request.timeoutInterval = possible.rounded(.up)
        }
        return (request, limit)
    }

    /// The defaults of `URLRequest.timeoutInterval` and `URLSessionConfiguration.timeoutIntervalForResource`.
    private static let sixtySeconds: TimeInterval = 60
    private static let sevenDays: TimeInterval = 7 * 24 * 3600
}

/// Performs an action after a time, unless it is cancelled before.
///
/// It uses a timer source because a sleeping task would stay in memory until its time, which may be an hour away.
struct Deadline {
    private let timer: any DispatchSourceTimer

    init(after seconds: TimeInterval, perform action: @escaping @Sendable () -> Void) {
        timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now() + seconds)
        timer.setEventHandler(handler: DispatchWorkItem(block: action))
        timer.activate()
    }

    func cancel() { timer.cancel() }
}
