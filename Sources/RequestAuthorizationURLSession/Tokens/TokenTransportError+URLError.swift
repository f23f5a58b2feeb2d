// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension TokenTransportError {
    /// Converts an error of `URLSession`. In doubt the request counts as possibly processed.
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

    /// No connection was made.
    private static let unreachable: Set<URLError.Code> = [
        .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet, .internationalRoamingOff,
        .callIsActive, .dataNotAllowed,
    ]

    /// A connection was made, but TLS failed or its certificate was not trusted.
    private static let insecure: Set<URLError.Code> = [
        .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
        .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
        .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection,
    ]

    /// The connection ended before the answer was complete. On Linux most errors of libcurl arrive as `.unknown`.
    private static let lost: Set<URLError.Code> = [
        .networkConnectionLost, .badServerResponse, .cannotParseResponse, .zeroByteResource, .unknown,
    ]
}

extension URLError {
    /// Whether the TLS handshake failed, which swift-corelibs-foundation reports only in libcurl's text.
    fileprivate var isFailedHandshake: Bool {
        guard code == .unknown, let text = userInfo[NSLocalizedDescriptionKey] as? String else { return false }
        return ["SSL certificate problem", "SSL: ", "OpenSSL/", "TLS connect error"].contains { text.hasPrefix($0) }
    }
}
