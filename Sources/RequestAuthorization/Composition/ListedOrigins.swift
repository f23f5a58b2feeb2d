// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Finds the origin to which a request goes. Comparing it with a few is cheaper than creating its own origin.
struct ListedOrigins: Sendable {
    private let first: Origin?
    private let few: [Origin]
    private let many: [Origin: Int]

    init(_ origins: [Origin]) {
        let isFew = origins.count <= 4
        first = origins.first
        few = isFew ? Array(origins.dropFirst()) : []
        many = isFew ? [:] : Dictionary(zip(origins, origins.indices)) { first, _ in first }
    }

    /// The place of the request's origin in the list; `nil` if it is not listed.
    func place(of request: some AuthorizableRequest) -> Int? {
        if let first, request.goes(to: first) { return 0 }
        return otherPlace(of: request)
    }

    @inline(never)
    private func otherPlace(of request: some AuthorizableRequest) -> Int? {
        for (place, origin) in few.enumerated() where request.goes(to: origin) { return place + 1 }
        return many.isEmpty ? nil : request.origin.flatMap { many[$0] }
    }
}
