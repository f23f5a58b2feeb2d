// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if GRPC
/// The metadata of a call, to which the credential is added.
struct CallMetadata: AuthorizableRequest, RedactedDescription {
    private(set) var metadata: Metadata
    let target: CallTarget
    /// The service and the method, for proofs that sign the URI.
    let method: MethodDescriptor
    /// The credential in the metadata.
    private(set) var credential = Credential.none
    /// The metadata before that.
    private var original: Metadata?
    /// The `NotAuthorized` that says why a credential could not be set.
    private var fault: (any Error)?

    init(metadata: Metadata, target: CallTarget, method: MethodDescriptor) {
        (self.metadata, self.target, self.method) = (metadata, target, method)
    }

    var origin: Origin? { target.origin }

    /// Always true: gRPC keeps the messages and decides whether to retry.
    var isReplayable: Bool { true }

    /// A call is a POST to the path of its method.
    var requestMethod: String? { "POST" }
    var targetURI: String? { "\(target.origin)/\(method.fullyQualifiedMethod)" }

    func credential(in field: String) -> String? { metadata[stringValues: field].first { _ in true } }

    /// Sets a field to one value. The name is sent in lower case (RFC 9113 §8.2.1).
    mutating func setCredential(_ value: String, in field: String) {
        if !metadata.isEmpty { metadata.removeAllValues(forKey: field) }
        do throws(NotAuthorized) {
            let isUsual = field == "Authorization"  // The common case needs no check of the name.
            let name = isUsual ? "authorization" : field.lowercased()
            if !isUsual { try Self.check(name) }
            try HeaderFieldValue.check(value)
            metadata.addString(value, forKey: name)
        } catch {
            fault = fault ?? error
        }
    }

    /// Returns the call with a credential, or throws why it cannot be set.
    func carrying(_ credential: Credential) throws -> CallMetadata {
        var call = self
        (call.original, call.credential) = (metadata, credential)
        try call.set(credential)
        if let fault = call.fault { throw fault }
        return call
    }

    /// The call as it was before it got its credential.
    var withoutCredential: CallMetadata {
        CallMetadata(metadata: original ?? metadata, target: target, method: method)
    }

    private static func check(_ name: String) throws(NotAuthorized) {
        try HeaderFieldName.check(name)
        let isBinary = name.hasSuffix("-bin")
        guard isBinary || name.hasPrefix("grpc-") else { return }
        let fault =
            isBinary
            ? "metadata with a name ending in -bin is binary" : "names beginning with grpc- are reserved for gRPC"
        throw NotAuthorized(.malformedCredential, detail: "\(fault): choose another field for the credential")
    }
}
#endif
