// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

struct ListedOrigins: Sendable {
    private let first: ForwardingTarget?
    /// Comparing a request with a few origins is cheaper than creating its own origin.
    private let few: [ForwardingTarget]
    private let many: [Origin: ForwardingTarget]

    init(_ providers: some Sequence<(Origin, any AuthorizationProvider)>) {
        let targets = providers.map { ForwardingTarget.make($1, for: $0) }
        let isFew = targets.count <= 4
        first = targets.first
        few = isFew ? Array(targets.dropFirst()) : []
        many = isFew ? [:] : Dictionary(targets.map { ($0.origin, $0) }) { first, _ in first }
    }

    func target(for request: some AuthorizableRequest) -> ForwardingTarget? {
        if let first, first.isMeant(for: request) { return first }
        return otherTarget(for: request)
    }

    @inline(never)
    private func otherTarget(for request: some AuthorizableRequest) -> ForwardingTarget? {
        for target in few where target.isMeant(for: request) { return target }
        return many.isEmpty ? nil : request.origin.flatMap { many[$0] }
    }
}

/// A provider to which another one forwards requests for an origin. It is a class: copying a reference is cheap.
///
/// `@unchecked Sendable` is safe: this class and its only subclass hold constants of `Sendable` types only.
class ForwardingTarget: @unchecked Sendable, RedactedDescription {
    let origin: Origin
    let provider: any AuthorizationProvider

    fileprivate init(_ provider: any AuthorizationProvider, for origin: Origin) {
        self.origin = origin
        self.provider = provider
    }

    static func make(_ provider: any AuthorizationProvider, for origin: Origin) -> ForwardingTarget {
        guard let synchronous = provider as? any SynchronousAuthorization else {
            return ForwardingTarget(provider, for: origin)
        }
        return makeSynchronous(synchronous, for: origin)
    }

    private static func makeSynchronous(_ provider: some SynchronousAuthorization, for origin: Origin)
        -> ForwardingTarget
    {
        SynchronousTarget(provider, for: origin)
    }

    final func isMeant(for request: some AuthorizableRequest) -> Bool { request.goes(to: origin) }

    /// Whether the provider itself always refuses plaintext. Forwarding providers and a user's own might not.
    var refusesPlaintext: Bool { false }

    func authorizeAtOnce<Request: AuthorizableRequest>(_ request: inout Request) throws -> Bool { false }
    func credentialFields(for request: some AuthorizableRequest) -> Set<String>? { nil }
    func isReplaced(_ authorized: some AuthorizableRequest) -> Bool { false }
}

/// A target with a provider of this package. `@unchecked Sendable` is safe as for its superclass.
private final class SynchronousTarget<Provider: SynchronousAuthorization>: ForwardingTarget, @unchecked Sendable {
    private let synchronous: Provider
    private let isLeaf: Bool

    init(_ provider: Provider, for origin: Origin) {
        synchronous = provider
        isLeaf = !(provider is RestrictedAuthorization) && !(provider is OriginAuthorization)
        super.init(provider, for: origin)
    }

    override var refusesPlaintext: Bool { isLeaf }

    override func authorizeAtOnce<Request: AuthorizableRequest>(_ request: inout Request) throws -> Bool {
        try synchronous.authorizeAtOnce(&request)
    }

    override func credentialFields(for request: some AuthorizableRequest) -> Set<String>? {
        synchronous.credentialFields(for: request)
    }

    override func isReplaced(_ authorized: some AuthorizableRequest) -> Bool { synchronous.isReplaced(authorized) }
}
