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
