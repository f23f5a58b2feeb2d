// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A token request is invalid because of the program's input. Nothing was sent, and the session is kept.
public struct InvalidTokenRequest: TokenServiceFailure, Hashable {
    /// The invalid parameter, for instance `resource`.
    public let parameter: String
    /// What is wrong with it and what to do, for people; never a secret.
    public let detail: String
    public var kind: TokenFailureKind { .transient }
    public var delivery: TokenRequestDelivery { .notSent }

    public init(parameter: String, detail: String) {
        self.parameter = parameter
        self.detail = detail
    }
}

extension InvalidTokenRequest: CustomStringConvertible {
    public var description: String { "nothing was sent: \(parameter) \(detail)" }
}
