// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The names of the fields that a provider sets during a call, in lower case.
///
/// Comparing requests is not enough: a field that held the same value before, because the request was authorized by hand,
/// would not show and would go along to another origin.
final class CredentialFields: Sendable {
    /// Those of the call that the current task is in.
    @TaskLocal static var current: CredentialFields?

    private let names = Lock(Set<String>())

    func insert(_ name: String) { names.withLock { _ = $0.insert(name.lowercased()) } }

    /// What was set so far, and what differs: a provider may write around `setCredential`.
    func names(on authorized: URLRequest, comparedWith original: URLRequest) -> Set<String> {
        let before = original.allHTTPHeaderFields ?? [:]
        let after = authorized.allHTTPHeaderFields ?? [:]
        return names.withLock { $0 }
            .union(after.lazy.filter { before[$0.key] != $0.value }.map { $0.key.lowercased() })
    }
}
