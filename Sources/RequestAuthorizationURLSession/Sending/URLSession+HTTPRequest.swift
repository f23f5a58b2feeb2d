// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if HTTPTypes

/// Adds authorization to `URLSession`'s functions for `HTTPRequest`.
///
///     let (data, response) = try await URLSession.shared.data(for: HTTPRequest(url: url), authorizedBy: auth)
///
/// The request is converted to a `URLRequest`, which the provider authorizes. So these functions behave as those for
/// `URLRequest`, redirects, challenges and bodies included. Several values of one field are joined with commas. A
/// request without scheme or authority throws `URLError.badURL`.
extension URLSession {
    /// Authorizes and sends a request, and returns the whole answer.
    ///
    /// - Parameters:
    ///   - request: the request, without credential.
    ///   - provider: adds the credential, and is told of a 401.
    ///   - refreshCount: the highest number of retries after a 401.
    ///   - connection: on Linux, which connection carries a request that must not be sent twice; see ``ConnectionUse``.
    /// - Returns: the body and the response. A 401 is a response, not an error, unless the session is over.
    /// - Throws: what the provider throws (`NotAuthorized`, `RefreshFailed`), a `URLError` (`.badURL` if the request
    ///   has no scheme or no authority), `CancellationError`.
    public func data(
        for request: HTTPRequest, authorizedBy provider: some AuthorizationProvider, refreshCount: Int = 1,
        connection: ConnectionUse = .automatic
    ) async throws -> (Data, HTTPResponse) {
        let (data, response) = try await data(
            for: URLRequest(of: request), authorizedBy: provider, refreshCount: refreshCount, connection: connection)
        return (data, try HTTPResponse(of: response))
    }

    /// Authorizes and sends a request with a body from memory, and returns the whole answer.
    ///
    /// The body is sent again in a retry. All else is as in `data(for:authorizedBy:refreshCount:connection:)`.
    public func upload(
        for request: HTTPRequest, from bodyData: Data, authorizedBy provider: some AuthorizationProvider,
        refreshCount: Int = 1, connection: ConnectionUse = .automatic
    ) async throws -> (Data, HTTPResponse) {
        let (data, response) = try await upload(
            for: URLRequest(of: request), from: bodyData, authorizedBy: provider, refreshCount: refreshCount,
            connection: connection)
        return (data, try HTTPResponse(of: response))
    }

    /// Authorizes and sends a request with a body from a file, and returns the whole answer.
    ///
    /// The file is read again in a retry. All else is as in `data(for:authorizedBy:refreshCount:connection:)`.
    public func upload(
        for request: HTTPRequest, fromFile fileURL: URL, authorizedBy provider: some AuthorizationProvider,
        refreshCount: Int = 1, connection: ConnectionUse = .automatic
    ) async throws -> (Data, HTTPResponse) {
        let (data, response) = try await upload(
            for: URLRequest(of: request), fromFile: fileURL, authorizedBy: provider, refreshCount: refreshCount,
            connection: connection)
        return (data, try HTTPResponse(of: response))
    }

    /// Authorizes and sends a request, and stores the answer's body in a temporary file.
    ///
    /// The caller must move or remove the file. All else is as in `data(for:authorizedBy:refreshCount:connection:)`.
    public func download(
        for request: HTTPRequest, authorizedBy provider: some AuthorizationProvider, refreshCount: Int = 1,
        connection: ConnectionUse = .automatic
    ) async throws -> (URL, HTTPResponse) {
        let (file, response) = try await download(
            for: URLRequest(of: request), authorizedBy: provider, refreshCount: refreshCount, connection: connection)
        return (file, try HTTPResponse(of: response))
    }

    #if !canImport(FoundationNetworking)
    /// Authorizes and sends a request, and returns the answer's body byte by byte.
    ///
    /// All else is as in `data(for:authorizedBy:refreshCount:connection:)`.
    public func bytes(
        for request: HTTPRequest, authorizedBy provider: some AuthorizationProvider, refreshCount: Int = 1
    ) async throws -> (AsyncBytes, HTTPResponse) {
        let (bytes, response) = try await bytes(
            for: URLRequest(of: request), authorizedBy: provider, refreshCount: refreshCount)
        return (bytes, try HTTPResponse(of: response))
    }
    #endif
}

extension URLRequest {
    fileprivate init(of request: HTTPRequest) throws {
        // The conversion joins authority and path, which may then name another host than the authority.
        guard request.origin != nil, let urlRequest = URLRequest(httpRequest: request) else {
            throw URLError(.badURL)
        }
        self = urlRequest
    }
}

extension HTTPResponse {
    fileprivate init(of response: URLResponse) throws {
        guard let converted = (response as? HTTPURLResponse)?.httpResponse else {
            throw URLError(.badServerResponse)
        }
        self = converted
    }
}
#endif
