// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if GRPC
import GRPCCore
import RequestAuthorization

/// The metadata of a call: what takes the credential.
struct CallMetadata: AuthorizableRequest, RedactedDescription {
    private(set) var metadata: Metadata
    let target: CallTarget
    /// The service and the method, for what signs them.
    let method: MethodDescriptor
    /// Why a credential could not be set: a ``NotAuthorized``, in one word.
    private var fault: (any Error)?

    init(metadata: Metadata, target: CallTarget, method: MethodDescriptor) {
        self.metadata = metadata
        self.target = target
        self.method = method
    }

    var origin: Origin? { target.origin }
    var isPlaintext: Bool { target.isPlaintext }

    /// Whether a call is made again is for gRPC to say, which keeps its messages.
    var isReplayable: Bool { true }

    /// A call is a POST to the path of its method.
    var requestMethod: String? { "POST" }
    var targetURI: String? { "\(target.origin)/\(method.fullyQualifiedMethod)" }

    func credential(in field: String) -> String? { metadata[stringValues: field].first { _ in true } }

    /// Sets a field to one value; its name is sent in lower case (RFC 9113 §8.2.1).
    mutating func setCredential(_ value: String, in field: String) {
        if !metadata.isEmpty { metadata.removeAllValues(forKey: field) }
        do throws(NotAuthorized) {
            let isUsual = field == "Authorization"  // As a rule; it needs no look at its name.
            let name = isUsual ? "authorization" : field.lowercased()
            if !isUsual { try Self.check(name) }
            try HeaderFieldValue.check(value)
            metadata.addString(value, forKey: name)
        } catch {
            fault = fault ?? error
        }
    }

    /// The call, unless a credential could not be set. Setting cannot throw, so this is asked before the call is made.
    func checked() throws -> CallMetadata {
        if let fault { throw fault }
        return self
    }

    private static func check(_ name: String) throws(NotAuthorized) {
        try HeaderFieldName.check(name)
        if name.hasSuffix("-bin") {
            throw NotAuthorized(
                .malformedCredential, detail: "metadata ending in -bin is binary: choose another field")
        }
        if name.hasPrefix("grpc-") {
            throw NotAuthorized(
                .malformedCredential, detail: "metadata beginning with grpc- belongs to gRPC: choose another field")
        }
    }
}
#endif
