// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A request that cannot be sent as the program made it. Nothing was sent, and the session goes on.
public struct InvalidTokenRequest: TokenServiceFailure, Hashable {
    /// The parameter that is wrong, for instance `resource`.
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
