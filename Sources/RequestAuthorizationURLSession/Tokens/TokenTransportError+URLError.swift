// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension TokenTransportError {
    /// What an error of `URLSession` says about the fate of the request. In doubt it may have been processed.
    init(_ error: URLError) {
        if Self.unreachable.contains(error.code) {
            self.init(.unreachable, delivery: .notSent, underlying: error)
        } else if Self.insecure.contains(error.code) || error.isFailedHandshake {
            self.init(.insecure, delivery: .notSent, underlying: error)
        } else if error.code == .timedOut {
            self.init(.timedOut, delivery: .mayHaveBeenProcessed, underlying: error)
        } else if Self.lost.contains(error.code) {
            self.init(.connectionLost, delivery: .mayHaveBeenProcessed, underlying: error)
        } else {
            self.init(.other, delivery: .mayHaveBeenProcessed, underlying: error)
        }
    }

    /// The connection was never made.
    private static let unreachable: Set<URLError.Code> = [
        .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet, .internationalRoamingOff,
        .callIsActive, .dataNotAllowed,
    ]

    /// It was made, and not trusted.
    private static let insecure: Set<URLError.Code> = [
        .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
        .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
        .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection,
    ]

    /// It ended before the answer was whole. On Linux most of what libcurl reports arrives as "unknown".
    private static let lost: Set<URLError.Code> = [
        .networkConnectionLost, .badServerResponse, .cannotParseResponse, .zeroByteResource, .unknown,
    ]
}

extension URLError {
    /// Whether TLS did not come about, which swift-corelibs-foundation says in libcurl's words only.
    fileprivate var isFailedHandshake: Bool {
        guard code == .unknown, let text = userInfo[NSLocalizedDescriptionKey] as? String else { return false }
        return ["SSL certificate problem", "SSL: ", "OpenSSL/", "TLS connect error"].contains { text.hasPrefix($0) }
    }
}
