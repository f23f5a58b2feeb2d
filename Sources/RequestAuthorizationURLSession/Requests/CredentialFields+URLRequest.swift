// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension CredentialFields {
    /// The fields that were set or that differ: a provider may bypass `setCredential`.
    func names(on authorized: URLRequest, comparedWith original: URLRequest) -> Set<String> {
        let before = original.allHTTPHeaderFields ?? [:]
        let after = authorized.allHTTPHeaderFields ?? [:]
        return names.union(after.lazy.filter { before[$0.key] != $0.value }.map { $0.key.lowercased() })
    }
}
