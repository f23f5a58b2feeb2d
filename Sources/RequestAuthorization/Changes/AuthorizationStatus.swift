// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Observation

/// What a user interface shows of a provider: signed out and why, signing in, authorized, refreshing.
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
///                     case .signedOut: LogIn(reason: status.error)
///                     }
///                 }
///                 .task { _ = try? await MyApp.auth.validToken() }     // loads what the store holds
///             }
///         }
///     }
///
/// A provider loads from its store when the first request needs a token, and a log-in screen makes none: hence the `.task`.
/// What is known when the status is made it shows at once. It follows the provider without keeping it alive, and stops when it
/// goes itself. Of a provider that is gone it says that it is signed out, if it was; else that nothing is known.
///
/// A test waits for what it shows, and sees each phase:
///
///     try await status.reaches { $0.phase == .authorized }
@MainActor
@Observable
public final class AuthorizationStatus {
    /// What is the case, in one word.
    public enum Phase: Hashable, Sendable {
        /// The store has not been read yet, or the service is fetching the first token, or the provider is gone.
        case unknown
        /// No token is held. `error` says why, if a session has ended.
        case signedOut
        /// A sign-in, or a refresh by hand, is under way; with or without a token that is held meanwhile.
        case signingIn
        /// A token is held. It may have expired: then the next request refreshes it.
        case authorized
        /// A token is held, and its refresh is under way.
        case refreshing
    }

    public private(set) var phase = Phase.unknown

    /// Whether a token is held. It may have expired: then the next request refreshes it.
    public private(set) var isAuthorized = false

    /// Why the session is over; `nil` while there is one, and before anything is known.
    public private(set) var error: NotAuthorized?

    /// Whether a refresh, or the first load from the store, is under way. A sign-in is not one of them.
    public private(set) var isRefreshing = false

    /// The subscription ends when nobody holds it any more.
    @ObservationIgnored let following: AnyObject
    @ObservationIgnored private var waiting: [Int: Waiting] = [:]
    @ObservationIgnored private var lastNumber = 0
    @ObservationIgnored private var isFinal = false

    /// Begins with what is known of the provider and follows it.
    public init<Token>(following provider: RefreshableTokenAuthorization<Token>) {
        let subscription = provider.core.follow()
        following = subscription
        while let status = subscription.mailbox.poll() { note(status) }
        Task { [weak self, mailbox = subscription.mailbox] in
            while let status = await mailbox.next() { self?.note(status) }
            self?.providerIsGone()
        }
    }

    /// Returns when a condition holds, at once if it holds already; for tests.
    ///
    /// The condition is asked after each change, so that no phase is missed that follows the call.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, and when the provider is gone: then nothing changes any more.
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
        // Assigning would draw views again, and a refreshed token is no news to them.
        if phase != status.phase { phase = status.phase }
        if isAuthorized != status.isAuthorized { isAuthorized = status.isAuthorized }
        if isRefreshing != status.isRefreshing { isRefreshing = status.isRefreshing }
        if error?.reason != status.ending?.error.reason { error = status.ending?.error }
        for waiting in waiting.values where waiting.condition(self) { waiting.mailbox.post(())?.perform() }
    }

    private func providerIsGone() {
        isFinal = true
        note(
            phase == .signedOut
                ? RefreshState.Status(phase: .signedOut, ending: error.map { .init(error: $0) }) : .unknown)
        for waiting in waiting.values { waiting.mailbox.finish() }
    }
}
