// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The names of the fields that a provider sets during a call, in lower case.
///
/// Comparing requests is not enough: a field that held the same value before, because the request was authorized by hand,
/// would not show and would go along to another origin. Requests whose clients follow redirects fill it in
/// `setCredential(_:in:)`.
package final class CredentialFields: Sendable {
    /// Those of the call that the current task is in.
    @TaskLocal package static var current: CredentialFields?

    private let inserted = Lock(Set<String>())

    package init() {}

    /// The field of most credentials.
    package static let authorization: Set = ["authorization"]

    package func insert(_ name: String) { inserted.withLock { _ = $0.insert(name.asciiLowercased) } }

    /// What was set so far.
    package var names: Set<String> { inserted.withLock { $0 } }
}
