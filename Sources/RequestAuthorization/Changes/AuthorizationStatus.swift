// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Observation

/// What a user interface shows of a provider: authorized or not, why not, refreshing.
///
///     @State private var status = AuthorizationStatus(following: auth)
///     var body: some View { status.isAuthorized ? AnyView(Content()) : AnyView(LogIn(reason: status.error)) }
///
/// It follows the provider without keeping it alive, and stops when it goes itself.
@MainActor
@Observable
public final class AuthorizationStatus {
    /// Whether a token is held.
    public private(set) var isAuthorized = false

    /// Why the session is over; `nil` while there is one, and before anything is known.
    public private(set) var error: NotAuthorized?

    /// Whether a refresh, or the first load from the store, is under way.
    public private(set) var isRefreshing = false

    @ObservationIgnored private var following: [FollowingTask] = []

    public init<Token>(following provider: RefreshableTokenAuthorization<Token>) {
        let changes = provider.tokenChanges.makeAsyncIterator()
        let events = provider.events.makeAsyncIterator()
        following = [
            FollowingTask(
                Task { [weak self] in
                    var changes = changes
                    while let change = await changes.next() { self?.note(change) }
                }),
            FollowingTask(
                Task { [weak self] in
                    var events = events
                    while let event = await events.next() { self?.note(event) }
                }),
        ]
    }

    // MARK: -

    private func note<Token>(_ change: TokenChange<Token>) {
        isAuthorized = change.isAuthorized
        error = if case .tokenInvalidated(let error) = change { error } else { nil }
    }

    private func note(_ event: AuthorizationEvent) {
        if event.kind == .refreshStarted { isRefreshing = true }
        if event.kind == .refreshEnded { isRefreshing = false }
    }
}

/// A task that ends when nobody holds this any more.
private final class FollowingTask: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) { self.task = task }

    deinit { task.cancel() }
}
