// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension NotAuthorized {
    /// Finds it in an error of a client that wraps what its middleware throws, such as `ClientError` of
    /// swift-openapi-runtime or `AFError` of Alamofire.
    ///
    ///     if NotAuthorized(in: error)?.needsSignIn == true { showLogIn() }
    ///
    /// - Returns: `nil` if neither the error nor one inside it is a `NotAuthorized`. Up to 10 000 values inside are
    ///   looked at, 1 000 of each list, and the contents of up to 1 000 of them.
    public init?(in error: any Error) {
        var search = Search()
        guard let found = search.find(in: error) else { return nil }
        self = found
    }

    /// A search through the values that an error contains, for errors have no common way to name their cause.
    private struct Search {
        private var remaining = 1_000
        private var glances = 10_000

        mutating func find(in value: Any) -> NotAuthorized? {
            if let found = value as? NotAuthorized { return found }
            remaining -= 1
            guard remaining > 0 else { return nil }
            #if canImport(Darwin)
            // The mirror of an NSError does not show it.
            if let error = value as? NSError, let found = find(inside: Mirror(reflecting: error.userInfo)) {
                return found
            }
            #endif
            return find(inside: Mirror(reflecting: value))
        }

        private mutating func find(inside mirror: Mirror) -> NotAuthorized? {
            // A list may be long, such as the bytes of an answer, and a table has many lists.
            for (_, value) in mirror.children.prefix(1_000) {
                guard remaining > 0, glances > 0 else { return nil }
                glances -= 1
                guard value is any Error || Self.isWrapping(value) else { continue }
                if let found = find(in: value) { return found }
            }
            return mirror.superclassMirror.flatMap { find(inside: $0) }
        }

        /// Whether an error can be in it, as a payload or an element.
        private static func isWrapping(_ value: Any) -> Bool {
            switch Mirror(reflecting: value).displayStyle {
            case .optional, .enum, .tuple, .collection, .dictionary: true
            default: false
            }
        }
    }
}
