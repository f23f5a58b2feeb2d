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

    private let seen = Lock(Seen())

    private struct Seen {
        var names: Set<String> = []
        var hasRefusal = false
        var wasTargetRead = false
        var proof: (proof: any RequestProof, names: Set<String>)?
    }

    package init() {}

    /// The field of most credentials.
    package static let authorization: Set = ["authorization"]

    package func insert(_ name: String) {
        let isUsual = name == "Authorization"
        seen.withLock { seen in
            if isUsual, seen.names.isEmpty {
                seen.names = Self.authorization
            } else {
                seen.names.insert(name.asciiLowercased)
            }
        }
    }

    /// Adds those that a provider has set by way of another one.
    package func insert(_ names: Set<String>) { seen.withLock { $0.names.formUnion(names) } }

    /// Whether the provider has asked where the request goes: what it set may be for that target alone.
    package var wasTargetRead: Bool { seen.withLock { $0.wasTargetRead } }

    package func noteTarget() { seen.withLock { $0.wasTargetRead = true } }

    /// What proved the request, and the fields that it set.
    package var proof: (proof: any RequestProof, names: Set<String>)? { seen.withLock { $0.proof } }

    package func insert(_ proof: any RequestProof, names: Set<String>) {
        seen.withLock { $0.proof = (proof, names) }
    }

    /// A request did not take a value or a name: it cannot stand in a header, and setting it cannot throw.
    package func refuse() { seen.withLock { $0.hasRefusal = true } }

    package var hasRefusal: Bool { seen.withLock { $0.hasRefusal } }

    /// What was set so far.
    package var names: Set<String> { seen.withLock { $0.names } }
}
