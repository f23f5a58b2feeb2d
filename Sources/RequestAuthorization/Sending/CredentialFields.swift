// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The names of the fields that a provider sets during a call, in lower case.
///
/// Comparing requests is not enough. A field that the program had set to the same value would not show as changed, and
/// would follow a redirect to another origin. Requests of clients that follow redirects record the names in
/// `setCredential(_:in:)`, and note there if they drop a value.
package final class CredentialFields: Sendable {
    /// The fields of the call that runs in the current task.
    @TaskLocal package static var current: CredentialFields?

    private let seen = Lock(Seen())

    private struct Seen {
        var names: Set<String> = []
        var hasRefusal = false
        var wasTargetRead = false
        var proof: (proof: any RequestProof, names: Set<String>)?
    }

    package init() {}

    /// The name of the field that most credentials use.
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

    /// Adds the names that a provider has set through another provider.
    package func insert(_ names: Set<String>) { seen.withLock { $0.names.formUnion(names) } }

    /// Whether the provider has read the request's target, so that its credential may be valid for that target only.
    package var wasTargetRead: Bool { seen.withLock { $0.wasTargetRead } }

    package func noteTarget() { seen.withLock { $0.wasTargetRead = true } }

    package var proof: (proof: any RequestProof, names: Set<String>)? { seen.withLock { $0.proof } }

    package func insert(_ proof: any RequestProof, names: Set<String>) {
        seen.withLock { $0.proof = (proof, names) }
    }

    /// Notes that a request has dropped a name or a value that no header field may hold.
    package func refuse() { seen.withLock { $0.hasRefusal = true } }

    package var hasRefusal: Bool { seen.withLock { $0.hasRefusal } }

    package var names: Set<String> { seen.withLock { $0.names } }
}
