// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a response of any HTTP client needs so that a refused credential is noticed and understood.
public protocol AuthorizableResponse {
    /// The status code, for instance 401.
    var statusCode: Int { get }

    /// The values of a header field in order, one element for each line; empty if there is none. Names are compared
    /// without case.
    func headerValues(for field: String) -> [String]
}

extension AuthorizableResponse {
    /// The answer if the server refused the credential; `nil` for any other answer.
    ///
    /// That is a 401 (RFC 9110 §15.5.2), or a 403 whose challenge asks for another scope (RFC 6750 §3.1) or a stronger
    /// log-in. Some servers send a 400 if they want a nonce in a proof (RFC 9449 §9), which counts, too.
    public var unauthorized: UnauthorizedResponse? {
        switch statusCode {
        case 401: return UnauthorizedResponse(of: self)
        case 403:
            let refusal = UnauthorizedResponse(of: self)
            return refusal.challenges.contains { $0.requiresInteraction } ? refusal : nil
        case 400 where !headerValues(for: "DPoP-Nonce").isEmpty:
            let refusal = UnauthorizedResponse(of: self)
            return refusal.asksForProofOnly ? refusal : nil
        default: return nil
        }
    }

    /// The refusal of a credential, not only of its proof. What a client itself calls one is one, whatever its status.
    var refusal: UnauthorizedResponse? {
        let answer = self as? UnauthorizedResponse ?? unauthorized
        return answer?.asksForProofOnly == true ? nil : answer
    }
}

/// The answer of a server that refused a credential.
///
/// One that this package makes of a client's response keeps four of its fields: `WWW-Authenticate`, `Retry-After`,
/// `DPoP-Nonce` and `Date`. A ``CredentialReceipt`` of your own gets the response itself where the client passes it on.
public struct UnauthorizedResponse: AuthorizableResponse, Sendable {
    /// The status code: 401; 403 if a challenge asks for another scope or a stronger log-in; 400 if it asks for a nonce.
    public let statusCode: Int

    /// The fields that providers of this package read.
    private static let fieldNames = ["WWW-Authenticate", "Retry-After", "DPoP-Nonce", "Date"]

    private let fields: [String: [String]]

    /// Creates an answer from its status and its header fields.
    ///
    /// - Parameters:
    ///   - statusCode: normally 401.
    ///   - fields: values by name, one element for each line; names are compared without case. The lines of several
    ///     spellings of a name come in the alphabetical order of the spellings.
    public init(statusCode: Int = 401, fields: [String: [String]] = [:]) {
        self.statusCode = statusCode
        // A challenge may be split over the lines, and a dictionary has no order.
        self.fields = fields.sorted { $0.key < $1.key }.reduce(into: [:]) {
            $0[$1.key.lowercased(), default: []] += $1.value
        }
    }

    /// Keeps of an answer what providers of this package read.
    @usableFromInline package init(of answer: some AuthorizableResponse) {
        self.init(
            statusCode: answer.statusCode,
            fields: Self.fieldNames.reduce(into: [:]) { $0[$1] = answer.headerValues(for: $1) })
    }

    /// Whether it is a 400 that asks for a nonce in the proof of a bound token. It says nothing about the credential.
    @usableFromInline package var asksForProofOnly: Bool {
        statusCode == 400 && challenges.contains { $0.isScheme("DPoP") && $0.error == "use_dpop_nonce" }
    }

    /// The challenges of all `WWW-Authenticate` lines in order (RFC 9110 §11.6.1), parsed on each access.
    public var challenges: [AuthenticationChallenge] {
        AuthenticationChallenge.parse(headerValues(for: "WWW-Authenticate"))
    }

    /// The values of a header field in order; empty if there is none. Names are compared without case.
    public func headerValues(for field: String) -> [String] { fields[field.lowercased()] ?? [] }
}

extension UnauthorizedResponse: OwnDescription {
    @usableFromInline package var ownDescription: String { "\(statusCode) \(challenges)" }
}
