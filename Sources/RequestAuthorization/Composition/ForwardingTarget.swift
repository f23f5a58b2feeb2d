// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A provider that another one forwards to for an origin. An object: one reference is copied at less cost than all this.
///
/// Sendable although others inherit from it: it and the only class that does have constants of Sendable types alone.
class ForwardingTarget: @unchecked Sendable, RedactedDescription {
    let origin: Origin
    let provider: any AuthorizationProvider

    fileprivate init(_ provider: any AuthorizationProvider, for origin: Origin) {
        self.origin = origin
        self.provider = provider
    }

    static func make(_ provider: any AuthorizationProvider, for origin: Origin) -> ForwardingTarget {
        guard let immediate = provider as? any ImmediateAuthorization else {
            return ForwardingTarget(provider, for: origin)
        }
        return makeImmediate(immediate, for: origin)
    }

    private static func makeImmediate(_ provider: some ImmediateAuthorization, for origin: Origin) -> ForwardingTarget {
        ImmediateTarget(provider, for: origin)
    }

    final func isMeant(for request: some AuthorizableRequest) -> Bool { request.goes(to: origin) }

    /// Whether the provider itself refuses plaintext each time: others may forward, or be anybody's.
    var refusesPlaintext: Bool { false }

    func authorizeAtOnce<Request: AuthorizableRequest>(_ request: inout Request) throws -> Bool { false }
    func credentialFields(for request: some AuthorizableRequest) -> Set<String>? { nil }
    func isReplaced(_ authorized: some AuthorizableRequest) -> Bool { false }
}

/// One of ours. Sendable as its superclass is.
private final class ImmediateTarget<Provider: ImmediateAuthorization>: ForwardingTarget, @unchecked Sendable {
    private let immediate: Provider
    private let isLeaf: Bool

    init(_ provider: Provider, for origin: Origin) {
        immediate = provider
        isLeaf = !(provider is RestrictedAuthorization) && !(provider is OriginAuthorization)
        super.init(provider, for: origin)
    }

    override var refusesPlaintext: Bool { isLeaf }

    override func authorizeAtOnce<Request: AuthorizableRequest>(_ request: inout Request) throws -> Bool {
        try immediate.authorizeAtOnce(&request)
    }

    override func credentialFields(for request: some AuthorizableRequest) -> Set<String>? {
        immediate.credentialFields(for: request)
    }

    override func isReplaced(_ authorized: some AuthorizableRequest) -> Bool { immediate.isReplaced(authorized) }
}
