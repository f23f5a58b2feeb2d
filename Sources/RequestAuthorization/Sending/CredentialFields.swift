// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The names of the fields that a provider sets during a call, in lower case.
///
/// Comparing requests is not enough: a field that held the same value before, because the request was authorized by hand,
/// would not show and would go along to another origin. Requests whose clients follow redirects fill it in
/// `setCredential(_:in:)`, and say there if they do not take what is set.
package final class CredentialFields: Sendable {
    /// Those of the call that the current task is in.
    @TaskLocal package static var current: CredentialFields?

    private let inserted = Lock(Set<String>())
    private let refused = Lock(false)

    package init() {}

    /// The field of most credentials.
    package static let authorization: Set = ["authorization"]

    package func insert(_ name: String) { inserted.withLock { _ = $0.insert(name.asciiLowercased) } }

    /// Adds those that a provider has set by way of another one.
    package func insert(_ names: Set<String>) { inserted.withLock { $0.formUnion(names) } }

    /// A request did not take a value or a name: it cannot stand in a header, and setting it cannot throw.
    package func refuse() { refused.withLock { $0 = true } }

    package var hasRefusal: Bool { refused.withLock { $0 } }

    /// What was set so far.
    package var names: Set<String> { inserted.withLock { $0 } }
}
