// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if GRPC
import GRPCCore
import RequestAuthorization

/// The metadata of a call: what takes the credential.
struct CallMetadata: AuthorizableRequest, RedactedDescription {
    private(set) var metadata: Metadata
    private let target: Origin
    let isPlaintext: Bool

    /// Why a credential could not be set. Setting cannot throw, so it is asked for before the call is made.
    private(set) var fault: NotAuthorized?

    init(metadata: Metadata, target: Origin, isPlaintext: Bool) {
        self.metadata = metadata
        self.target = target
        self.isPlaintext = isPlaintext
    }

    var origin: Origin? { target }

    /// Whether a call is made again is for gRPC to say, which keeps its messages.
    var isReplayable: Bool { true }

    func credential(in field: String) -> String? { metadata[stringValues: field].first { _ in true } }

    /// Sets a field to one value; its name is sent in lower case (RFC 9113 §8.2.1).
    mutating func setCredential(_ value: String, in field: String) {
        metadata.removeAllValues(forKey: field)
        do throws(NotAuthorized) {
            let name = field.lowercased()
            try Self.check(name)
            try HeaderFieldValue.check(value)
            metadata.addString(value, forKey: name)
        } catch {
            fault = fault ?? error
        }
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
