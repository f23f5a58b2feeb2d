// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Observation

/// The state of a provider for a user interface: signed out and why, signing in, authorized, refreshing.
///
///     @main struct MyApp: App {
///         static let auth = RefreshableTokenAuthorization(service: MyTokenService(), store: MyTokenStore())
///         @State private var status = AuthorizationStatus(following: MyApp.auth)
///
///         var body: some Scene {
///             WindowGroup {
///                 Group {
///                     switch status.phase {
///                     case .authorized, .refreshing: Home()
///                     case .unknown, .signingIn: ProgressView()
///                     case .signedOut, .shutDown: LogIn(reason: status.error)
///                     }
///                 }
///                 .task { _ = try? await MyApp.auth.validToken() }     // loads what the store holds
///             }
///         }
///     }
///
/// A provider loads from its store when the first request needs a token. A log-in screen sends no request, hence the
/// `.task`. The status shows at once what is known when it is created. It follows the provider without keeping it
/// alive, and ends with its own release. If the provider is gone, it stays signed out if it was, else it is unknown.
///
/// A test can wait for a phase, and misses none:
///
///     try await status.reaches { $0.phase == .authorized }
@MainActor
@Observable
public final class AuthorizationStatus {
    /// The state of a provider in one word.
    public enum Phase: Hashable, Sendable {
        /// The store has not been read yet, or the service is fetching the first token, or the provider is gone.
        case unknown
        /// No token is held. `error` says why, if a session has ended.
        case signedOut
        /// A sign-in is under way, with or without a held token.
        case signingIn
        /// A token is held. It may have expired; then the next request refreshes it.
        case authorized
        /// A token is held, and its refresh is under way.
        case refreshing
        /// The provider was shut down: no request is authorized any more.
        case shutDown
    }

    public private(set) var phase = Phase.unknown

    /// Whether a token is held, and the provider is not shut down. It may have expired; then the next request refreshes it.
    public private(set) var isAuthorized = false

    /// Why the session is over; `nil` during a session, and before anything is known.
    public private(set) var error: NotAuthorized?

    /// Whether a refresh, or the first load from the store, is under way. A sign-in does not count.
    public private(set) var isRefreshing = false

    /// The subscription, which ends when its last reference is released.
    @ObservationIgnored let following: AnyObject
    @ObservationIgnored private var waiting: [Int: Waiting] = [:]
    @ObservationIgnored private var lastNumber = 0
    @ObservationIgnored private var isFinal = false

    /// Creates a status with the present state of the provider, and follows it.
    public init<Token>(following provider: RefreshableTokenAuthorization<Token>) {
        let subscription = provider.core.follow()
        following = subscription
        while let status = subscription.mailbox.poll() { note(status) }
        Task.detached { [weak self, mailbox = subscription.mailbox] in
            while let status = await mailbox.next() { await self?.note(status) }
            await self?.providerIsGone()
        }
    }

    /// Waits until a condition is true, for tests. Returns at once if it already is.
    ///
    /// The condition is evaluated after each change, so it misses no phase after the call.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, or when the provider is gone.
    public func reaches(_ condition: @escaping @MainActor (AuthorizationStatus) -> Bool) async throws {
        if condition(self) { return }
        if isFinal { throw CancellationError() }
        lastNumber += 1
        let (number, waiting) = (lastNumber, Waiting(condition: condition))
        self.waiting[number] = waiting
        defer { self.waiting[number] = nil }
        guard await waiting.mailbox.next() != nil else { throw CancellationError() }
    }

    // MARK: -

    private struct Waiting {
        let condition: @MainActor (AuthorizationStatus) -> Bool
        let mailbox = Mailbox<Void>()
    }

    func note(_ status: RefreshState.Status) {
        // An assignment redraws views, which a refreshed token does not require.
        let phase = Phase(status.phase)
        if self.phase != phase { self.phase = phase }
        if isAuthorized != status.isAuthorized { isAuthorized = status.isAuthorized }
        if isRefreshing != status.isRefreshing { isRefreshing = status.isRefreshing }
        if error?.reason != status.ending?.error.reason { error = status.ending?.error }
        for waiting in waiting.values where waiting.condition(self) { waiting.mailbox.post(())?.resume() }
    }

    private func providerIsGone() {
        isFinal = true
        let ending = error.map { Ending(error: $0) }
        let end: RefreshState.Status.Phase =
            phase == .signedOut ? .signedOut : phase == .shutDown ? .shutDown : .unknown
        note(RefreshState.Status(phase: end, ending: end == .unknown ? nil : ending))
        for waiting in waiting.values { waiting.mailbox.finish() }
    }
}

extension AuthorizationStatus.Phase {
    fileprivate init(_ phase: RefreshState.Status.Phase) {
        self =
            switch phase {
            case .unknown: .unknown
            case .signedOut: .signedOut
            case .signingIn: .signingIn
            case .authorized: .authorized
            case .refreshing: .refreshing
            case .shutDown: .shutDown
            }
    }
}
