// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorizationStorage

/// Keeps sign-ins until their callbacks come.
///
/// ``InMemoryPendingSignIns`` keeps them while the process lives; ``ItemPendingSignIns`` over an app's restart, and for several
/// processes. Write your own for servers whose processes share a database, or keep the ``PendingSignIn`` in the person's session
/// there.
public protocol PendingSignInStore: Sendable {
    /// Keeps a sign-in; one that is kept already stays as it is.
    ///
    /// - Throws: ``SignInError`` of the kind ``SignInError/Kind/alreadyUsed`` if its state was taken before.
    func add(_ pending: PendingSignIn) async throws

    /// Looks for a sign-in, and leaves it there. Compare states in constant time.
    ///
    /// - Returns: `nil` if there is none with this state.
    /// - Throws: ``SignInError`` of the kind ``SignInError/Kind/alreadyUsed`` if it was taken, as far back as that is known.
    func find(state: String) async throws -> PendingSignIn?

    /// Removes a sign-in and returns it, in one step: of all who ask at a time, in all processes, one gets it.
    ///
    /// - Throws: as ``find(state:)``.
    func take(state: String) async throws -> PendingSignIn?
}

extension PendingSignInStore where Self == InMemoryPendingSignIns {
    /// One store for the whole process, as long as it lives.
    public static var inMemory: InMemoryPendingSignIns { .shared }
}

extension PendingSignInStore {
    /// An item of bytes, as token stores use them: a file, a Keychain item.
    ///
    ///     .items(RestrictedFileItems(client: "CLIENT_ID", account: "sign-in"))
    public static func items<Items: ByteStore>(_ items: Items) -> Self where Self == ItemPendingSignIns<Items> {
        ItemPendingSignIns(items)
    }
}

extension PendingSignInStore where Self == ItemPendingSignIns<DefaultTokenStore<OAuthToken>.Items> {
    /// Where this platform's programs keep tokens, beside them: the Keychain on Apple's, a file elsewhere.
    ///
    /// - Parameter client: for whom tokens are issued, such as an OAuth client's id.
    public static func `default`(client: String) -> Self {
        // A client of its own, so that it is not listed as an account.
        ItemPendingSignIns(DefaultTokenStore<OAuthToken>(client: "\(client) sign-in", account: "pending").items)
    }
}
