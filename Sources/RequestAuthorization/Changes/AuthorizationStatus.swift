// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Observation

/// What a user interface shows of a provider: authorized or not, why not, refreshing.
///
///     @main struct MyApp: App {
///         static let auth = RefreshableTokenAuthorization(service: MyTokenService(), store: MyTokenStore())
///         @State private var status = AuthorizationStatus(following: MyApp.auth)
///
///         var body: some Scene {
///             WindowGroup {
///                 Group {
///                     if status.isAuthorized { Home() }
///                     else if status.isRefreshing { ProgressView() }
///                     else { LogIn(reason: status.error) }
///                 }
///                 .task { _ = try? await MyApp.auth.validToken() }     // loads what the store holds
///             }
///         }
///     }
///
/// A provider loads from its store when the first request needs a token, and a log-in screen makes none: hence the `.task`.
/// What is known when the status is made it shows at once. It follows the provider without keeping it alive, and stops when it
/// goes itself.
@MainActor
@Observable
public final class AuthorizationStatus {
    /// Whether a token is held. It may have expired: then the next request refreshes it.
    public private(set) var isAuthorized = false

    /// Why the session is over; `nil` while there is one, and before anything is known.
    public private(set) var error: NotAuthorized?

    /// Whether a refresh, or the first load from the store, is under way. A sign-in is not one of them.
    public private(set) var isRefreshing = false

    /// Subscriptions end when nobody holds them any more.
    @ObservationIgnored let following: [AnyObject]

    /// Begins with what is known of the provider and follows it.
    public init<Token>(following provider: RefreshableTokenAuthorization<Token>) {
        let (changes, events) = (provider.state.observe(), provider.state.listen(isJoining: true))
        following = [changes, events]
        while let change = changes.mailbox.poll() { note(change) }
        while let event = events.mailbox.poll() { note(event) }
        Task { [weak self, mailbox = changes.mailbox] in
            while let change = await mailbox.next() { self?.note(change) }
        }
        Task { [weak self, mailbox = events.mailbox] in
            while let event = await mailbox.next() { self?.note(event) }
        }
    }

    // MARK: -

    func note<Token>(_ change: TokenChange<Token>) {
        switch change {
        case .tokenUpdated:
            isAuthorized = true
            // Assigning would draw views again, and a refreshed token is no news to them.
            if error != nil { error = nil }
        case .tokenInvalidated(let reason): (isAuthorized, error) = (false, reason)
        }
    }

    func note(_ event: AuthorizationEvent) {
        if event.kind == .refreshStarted { isRefreshing = true }
        if event.kind == .refreshEnded { isRefreshing = false }
    }
}
