// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension URLError {
    /// Whether a line of the answer's header could not be read.
    ///
    /// swift-corelibs-foundation reads UTF-8 only, in any field and in the status line. It reports other bytes as
    /// `unknown`, and only libcurl's text tells this error from others.
    var isUnreadableHeader: Bool { code == .unknown && text.hasPrefix(Self.failedHeader) }

    /// The description that the error brings along; on Linux libcurl's text.
    var text: String { userInfo[NSLocalizedDescriptionKey] as? String ?? "" }

    /// The same error. It is `cannotConnectToHost` exactly if libcurl's text says that no connection was made.
    ///
    /// If one address of a host refuses, swift-corelibs-foundation reports any later error as `cannotConnectToHost`. Another
    /// address may have taken the request and dropped it. A host without a route is `unknown` there.
    var corrected: URLError {
        #if canImport(FoundationNetworking)
        guard [.cannotConnectToHost, .unknown].contains(code), userInfo[NSLocalizedDescriptionKey] != nil else {
            return self
        }
        return URLError(isUnconnected ? .cannotConnectToHost : .unknown, userInfo: userInfo)
        #else
        return self
        #endif
    }

    /// Whether libcurl's text says that no connection was made, which may also have timed out.
    var isUnconnected: Bool { Self.failedConnections.contains { text.hasPrefix($0) } }

    /// The corrected error, with a text that says what to do if the header could not be read.
    var explained: URLError {
        let error = corrected
        guard error.isUnreadableHeader else { return error }
        let text =
            "\(Self.failedHeader): a line of the answer's header may be in another encoding than UTF-8, which URLSession "
            + "does not read on Linux; correct the server, or use another HTTP client"
        return URLError(error.code, userInfo: userInfo.merging([NSLocalizedDescriptionKey: text]) { $1 })
    }

    private static let failedHeader = "Failed writing header"

    /// How the texts of libcurl 7 and 8 begin if neither the host nor a proxy's tunnel took the request.
    private static let failedConnections = [
        "Failed to connect", "Couldn't connect", "Could not connect", "Couldn't resolve", "Could not resolve",
        "CONNECT tunnel failed", "Received HTTP code", "Proxy CONNECT aborted",
    ]
}
