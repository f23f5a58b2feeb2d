// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if AsyncHTTPClient
import NIOSSL

extension TokenTransportError {
    /// Converts an error of the client.
    ///
    /// - Parameter isSent: whether any part of the request was sent.
    init(_ error: any Error, isSent: Bool) {
        let code: Code =
            switch error as? HTTPClientError {
            case .deadlineExceeded?, .readTimeout?, .writeTimeout?: .timedOut
            case .tlsHandshakeTimeout?: .insecure
            case .invalidURL?, .emptyHost?, .emptyScheme?, .missingSocketPath?, .alreadyShutdown?: .other
            case _ where Self.isOfTLS(error): .insecure
            // `unsupportedScheme` contains the scheme, so only its label can be compared.
            case let error? where error.shortDescription == "Unsupported scheme": .other
            default: isSent ? .connectionLost : .unreachable
            }
        self.init(code, delivery: isSent ? .mayHaveBeenProcessed : .notSent, underlying: error)
    }

    private static func isOfTLS(_ error: any Error) -> Bool {
        #if canImport(Network)
        if error is HTTPClient.NWTLSError { return true }
        #endif
        return error is NIOSSLError || error is BoringSSLError || error is NIOSSLExtraError
    }
}
#endif
