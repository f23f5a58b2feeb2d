// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Keeps sign-ins until their callbacks come.
///
/// ``InMemoryPendingSignIns`` keeps them while the process lives, ``ItemPendingSignIns`` over an app's restart and
/// for several processes. Write your own for servers that share a database, or keep the ``PendingSignIn`` in the
/// user's session there.
public protocol PendingSignInStore: Sendable {
    /// Stores a sign-in. A sign-in with the same state that is stored already stays as it is.
    ///
    /// - Throws: ``SignInError`` of the kind ``SignInError/Kind/alreadyUsed`` if its state was taken before.
    func add(_ pending: PendingSignIn) async throws

    /// Finds a sign-in, and leaves it in the store. States must be compared in constant time.
    ///
    /// - Returns: the sign-in; `nil` if there is none with this state.
    /// - Throws: ``SignInError`` of the kind ``SignInError/Kind/alreadyUsed`` if the store knows that it was taken.
    func find(state: String) async throws -> PendingSignIn?

    /// Removes and returns a sign-in in one step: of all concurrent callers, in all processes, only one gets it.
    ///
    /// - Throws: as ``find(state:)``.
    func take(state: String) async throws -> PendingSignIn?
}

extension PendingSignInStore where Self == InMemoryPendingSignIns {
    /// The shared store of this process, which keeps sign-ins in memory.
    public static var inMemory: InMemoryPendingSignIns { .shared }
}

extension PendingSignInStore {
    /// A place for named items, in which sign-ins survive the end of the program.
    ///
    ///     .items(.default(client: "CLIENT_ID"))       // of RequestAuthorizationStorage: the Keychain, or a file
    public static func items<Place: NamedItems>(_ place: Place) -> Self where Self == ItemPendingSignIns<Place.Item> {
        ItemPendingSignIns(in: place)
    }

    /// A store of bytes, such as a file or a Keychain item. It must not be that of a token.
    ///
    ///     .items(RestrictedFileItems(client: "CLIENT_ID", account: "sign-in"))
    public static func items<Items: ByteStore>(_ items: Items) -> Self where Self == ItemPendingSignIns<Items> {
        ItemPendingSignIns(items)
    }
}

// MARK: -

/// A store that reads and changes all its sign-ins in one step.
@usableFromInline protocol PendingSignInsInOnePlace: PendingSignInStore {
    /// How many sign-ins are kept.
    var limit: Int { get }

    func kept() async throws -> PendingSignIns

    func change<Value: Sendable>(
        _ body: @escaping @Sendable (inout PendingSignIns) throws -> Value
    ) async throws -> Value
}

extension PendingSignInsInOnePlace {
    public func add(_ pending: PendingSignIn) async throws {
        try await change { [limit] in try $0.add(pending, limit: limit) }
    }

    public func find(state: String) async throws -> PendingSignIn? { try await kept().find(state: state) }

    public func take(state: String) async throws -> PendingSignIn? { try await change { try $0.take(state: state) } }
}
