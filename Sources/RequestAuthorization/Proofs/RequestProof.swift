// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Proves with each request that its sender has the key that a token is bound to (RFC 9449).
///
/// A ``RefreshableTokenService`` makes one for each token. The `Authorization` field is the same for all requests with a token; only
/// the fields of the proof differ from request to request.
public protocol RequestProof: Sendable {
    /// Makes the header fields that prove one request. Runs off the caller's actor: a signature takes time.
    ///
    /// - Parameter request: the request that is proven.
    /// - Returns: values by name. Only the names in ``RefreshableTokenService/proofFields`` are allowed.
    /// - Throws: any error if there is no proof now. The request is not sent.
    @concurrent func fields(for request: ProvenRequest) async throws -> [String: String]

    /// Reads the head of an answer to a request that was proven, whatever its status. Called for every answer; must not block.
    ///
    /// - Returns: what the answer said of the proof.
    func learn(from response: some AuthorizableResponse, to request: ProvenRequest) -> ProofOutcome
}

/// What a proof is made for: where a request goes, and how.
public struct ProvenRequest: Sendable, Hashable {
    /// Scheme, host and port.
    public let origin: Origin
    /// The method, for instance `GET`.
    public let method: String
    /// The target URI without its fragment.
    public let uri: String

    public init(origin: Origin, method: String, uri: String) {
        self.origin = origin
        self.method = method
        self.uri = uri
    }
}

extension ProvenRequest {
    /// - Returns: `nil` if the request does not say where it goes, and how.
    init?(_ request: some AuthorizableRequest) {
        guard let origin = request.origin, let method = request.requestMethod, let uri = request.targetURI else {
            return nil
        }
        self.init(origin: origin, method: method, uri: uri)
    }
}

/// What an answer said of a proof.
public enum ProofOutcome: Sendable {
    /// Nothing that makes another try worth it.
    case settled
    /// The proof was refused, and the same token with a new proof is worth one more try.
    case newProofNeeded
    /// The proof was refused, and no other proof changes that. No refresh begins: the token is good.
    case refused(any Error)
    /// The server sent what no proof can hold. It is ignored, and ``RefreshableTokenAuthorization/events`` says so.
    case ignored(any Error)
}

extension ProvenRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method and the origin. Paths and queries may hold secrets.
    public var description: String { "\(method) \(origin)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ProofOutcome: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What it is, with the type of the error.
    public var description: String {
        switch self {
        case .settled: "settled"
        case .newProofNeeded: "newProofNeeded"
        case .refused(let error): "refused(\(type(of: error)))"
        case .ignored(let error): "ignored(\(type(of: error)))"
        }
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
