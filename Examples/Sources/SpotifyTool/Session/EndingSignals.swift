// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch
import Foundation
import Synchronization

/// Watches SIGINT (Ctrl-C), SIGTERM, and SIGHUP of a closed terminal, until it is deinitialized.
///
/// The first signal is reported, so that the program can end in order. The second one ends it at once. A signal that was
/// ignored at the start stays ignored.
final class EndingSignals {
    private let sources: [any DispatchSourceSignal]
    private let first: First

    private init(_ sources: [any DispatchSourceSignal], _ first: First) {
        (self.sources, self.first) = (sources, first)
    }

    /// Returns once the signals are watched. From then on a first signal does not end the program by itself.
    ///
    /// - Parameter more: further signals.
    static func watched(also more: [Int32] = []) async -> EndingSignals {
        let first = First()
        var sources: [any DispatchSourceSignal] = []
        for number in [SIGINT, SIGTERM, SIGHUP] + more where !ignored.contains(number) {
            // A second Ctrl-Z would only stop the program.
            let end = number == SIGTSTP ? SIGTERM : number
            sources.append(await source(of: number) { if !first.note(number) { endProgram(by: end) } })
        }
        return EndingSignals(sources, first)
    }

    /// Calls a handler for the first signal, at once if it has arrived already.
    func onFirst(_ handler: @escaping @Sendable () -> Void) { first.setHandler(handler) }

    /// The first signal that arrived.
    var received: Int32? { first.number }

    /// Ends the program by a signal, so that its parent sees the reason (130, 143 and 129 in a shell).
    static func endProgram(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        // Dispatch blocks the signals that it watches, in this thread too.
        var numbers = sigset_t()
        sigemptyset(&numbers)
        sigaddset(&numbers, number)
        pthread_sigmask(SIG_UNBLOCK, &numbers, nil)
        raise(number)
        exit(128 + number)
    }

    /// What the program was started to ignore: SIGHUP by `nohup`, SIGINT and SIGQUIT by `&` in a script.
    ///
    /// It is read before the first signal is watched: on Darwin a signal that is watched is ignored too.
    static let ignored = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGUSR1, SIGUSR2, SIGPIPE].filter { isIgnored($0) }

    // MARK: -

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        #if canImport(Darwin)
        let handler = action.__sigaction_u.__sa_handler
        #else
        let handler = action.__sigaction_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// A source that already watches a signal.
    static func source(of number: Int32, _ handler: @escaping @Sendable () -> Void) async -> any DispatchSourceSignal {
        #if canImport(Darwin)
        signal(number, SIG_IGN)  // kqueue reports an ignored signal too; on Linux Dispatch catches it.
        #endif
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler(handler: handler)
        await withCheckedContinuation { continuation in
            source.setRegistrationHandler { continuation.resume() }
            source.activate()
        }
        return source
    }

    /// The first signal and its handler.
    private final class First: Sendable {
        private let contents = Mutex<(number: Int32?, handler: (@Sendable () -> Void)?)>((nil, nil))

        var number: Int32? { contents.withLock { $0.number } }

        /// - Returns: whether it is the first signal.
        func note(_ number: Int32) -> Bool {
            let (isFirst, handler) = contents.withLock { contents in
                guard contents.number == nil else { return (false, Optional<@Sendable () -> Void>.none) }
                contents.number = number
                return (true, contents.handler)
            }
            handler?()
            return isFirst
        }

        func setHandler(_ handler: @escaping @Sendable () -> Void) {
            let hasCome = contents.withLock { contents in
                contents.handler = handler
                return contents.number != nil
            }
            if hasCome { handler() }
        }
    }
}
