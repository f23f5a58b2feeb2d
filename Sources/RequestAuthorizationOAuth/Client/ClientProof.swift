// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// The parts of a request that authenticate its client: parameters of the body, fields of the header, or both.
public struct ClientProof: Sendable, RedactedDescription {
    /// `client_assertion_type` for a JWT (RFC 7523 §2.2).
    public static let jwtBearer = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// Parameters of the body. They come first, and replace other parameters of the same names.
    public var parameters: [(name: String, value: String)]
    public var fields: [(name: String, value: String)]

    public init(parameters: [(name: String, value: String)] = [], fields: [(name: String, value: String)] = []) {
        self.parameters = parameters
        self.fields = fields
    }
}
