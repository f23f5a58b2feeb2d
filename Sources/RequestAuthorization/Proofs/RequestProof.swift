// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Proves with each request that the sender has the key to which a token is bound (RFC 9449).
///
/// A ``RefreshableTokenService`` makes a proof object for each token. All requests with a token have the same
/// `Authorization` field; only the fields of the proof differ.
public protocol RequestProof: Sendable {
    /// Makes the header fields of the proof for one request. Runs off the caller's actor, because signing takes time.
    ///
    /// - Returns: values by name. Only the names in ``RefreshableTokenService/proofFields`` are allowed, each once.
    /// - Throws: any error if no proof can be made now. The request is not sent.
    @concurrent func fields(for request: ProvenRequest) async throws -> [String: String]

    /// Says what the head of an answer to a proven request means for the proof.
    ///
    /// Called for every answer, whatever its status; must not block.
    func learn(from response: some AuthorizableResponse, to request: ProvenRequest) -> ProofOutcome
}

/// A proof that ends at once when its task is cancelled. Other proofs get a task of their own, which costs a microsecond.
package protocol PromptProof: RequestProof {
    /// Notes that no answer to a proof will be shown, so that nobody waits for it.
    ///
    /// - Parameter isSent: whether the proof was sent all the same.
    func withdraw(_ request: ProvenRequest, isSent: Bool)
}

/// The parts of a request that a proof covers: method, target and origin; and the proof that it has.
public struct ProvenRequest: Sendable, Hashable {
    /// The scheme, host and port.
    public let origin: Origin
    /// The method, for instance `GET`.
    public let method: String
    /// The target URI without its fragment.
    public let uri: String
    /// The fields of the proof with which the request was sent, by their names in lower case.
    ///
    /// They tell ``RequestProof/learn(from:to:)`` which proof was answered. They are empty if a first proof is to be made.
    public let proof: [String: String]

    public init(origin: Origin, method: String, uri: String, proof: [String: String] = [:]) {
        (self.origin, self.method, self.uri, self.proof) = (origin, method, uri, proof)
    }
}

extension ProvenRequest {
    /// - Parameter names: the fields of its proof, in lower case.
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/malformedCredential`` if the request lacks an
    ///   origin, a method or a target.
    init(of request: some AuthorizableRequest, names: Set<String>) throws {
        guard let origin = request.origin, let method = request.requestMethod, let uri = request.targetURI else {
            throw NotAuthorized(
                .malformedCredential,
                detail: "a proof needs a method and a URI: give the request an origin, a requestMethod and a targetURI")
        }
        self.init(
            origin: origin, method: method, uri: uri,
            proof: names.reduce(into: [:]) { $0[$1] = request.credential(in: $1) })
    }

    /// The same request with a proof.
    func proven(by fields: [CredentialField]) -> ProvenRequest {
        ProvenRequest(
            origin: origin, method: method, uri: uri,
            proof: fields.reduce(into: [:]) { $0[$1.name.asciiLowercased] = $1.value })
    }
}

/// What an answer means for a proof.
public enum ProofOutcome: Sendable {
    /// The answer gives no reason for a retry.
    case settled
    /// The proof was refused. A retry with the same token and a new proof makes sense.
    ///
    /// `send` makes at most three such retries for each credential, after a 401 or a 400. Return ``refused(_:)`` if the
    /// answer asks for what the refused proof had.
    case newProofNeeded
    /// The proof was refused, and another one would not help. It is reported, and no refresh begins: the token is good.
    case refused(any Error)
    /// The server sent what no proof can hold. It is ignored, and reported by ``RefreshableTokenAuthorization/events``.
    case ignored(any Error)
}

extension ProvenRequest: OwnDescription {
    /// The method and the origin. Paths and queries may hold secrets.
    @usableFromInline package var ownDescription: String { "\(method) \(origin)" }
}

extension ProofOutcome: OwnDescription {
    /// The case, with the type of the error.
    @usableFromInline package var ownDescription: String {
        switch self {
        case .settled: "settled"
        case .newProofNeeded: "newProofNeeded"
        case .refused(let error): "refused(\(type(of: error)))"
        case .ignored(let error): "ignored(\(type(of: error)))"
        }
    }
}

extension RequestProof {
    /// Makes the fields of a proof.
    ///
    /// - Parameters:
    ///   - names: the fields that the proof may set, in lower case.
    ///   - isPrompt: whether it is a ``PromptProof``.
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/malformedCredential``; what the proof throws;
    ///   `CancellationError` at once when the task is cancelled.
    func checkedFields(
        for request: ProvenRequest, names: Set<String>, isPrompt: Bool
    ) async throws -> [CredentialField] {
        let fields =
            isPrompt ? try await fields(for: request) : try await endingAtOnce { try await self.fields(for: request) }
        try Task.checkCancellation()
        guard fields.keys.allSatisfy({ names.contains($0.asciiLowercased) }) else {
            throw NotAuthorized(
                .malformedCredential, detail: "the proof sets a field that proofFields of its service does not name")
        }
        return try CredentialField.checked(fields)
    }
}
