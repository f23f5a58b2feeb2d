// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
extension Scenario {
    /// The issuer in authorization responses (RFC 9207).
    static let responses = [
        accepts("iss-supported", .right, isAnnounced: true),
        accepts("iss-not-advertised", .missing, isAnnounced: false),
        refuses("iss-supported-missing", .missing, isAnnounced: true),
        refuses("iss-wrong-issuer", .wrong, isAnnounced: true),
        refuses("iss-unexpected", .wrong, isAnnounced: false),
        refuses("iss-normalized", .withSlash, isAnnounced: true),
    ]

    private static func accepts(
        _ name: String, _ parameter: ServerConduct.IssuerParameter, isAnnounced: Bool
    ) -> Scenario {
        Scenario(name, "exchange the code", checks: [.exchange, .calls]) {
            $0.server.issuerParameter = parameter
            $0.server.announcesIssuerParameter = isAnnounced
        }
    }

    private static func refuses(
        _ name: String, _ parameter: ServerConduct.IssuerParameter, isAnnounced: Bool
    ) -> Scenario {
        Scenario(name, "not exchange the code", checks: [.authorization, .noExchange]) {
            $0.fault = .response
            $0.resource.hasOpenHandshake = true
            $0.server.issuerParameter = parameter
            $0.server.announcesIssuerParameter = isAnnounced
        }
    }
}
#endif
