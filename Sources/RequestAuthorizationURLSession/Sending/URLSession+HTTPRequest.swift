// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if HTTPTypes
public import Foundation
#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
import HTTPTypesFoundation
public import HTTPTypes

/// `URLSession`'s functions for `HTTPRequest` with a credential.
///
///     let (data, response) = try await URLSession.shared.data(for: HTTPRequest(url: url), authorizedBy: auth)
///
/// They do what their namesakes for `URLRequest` do, redirects, challenges and bodies included, because the request is turned
/// into one: the provider is given a `URLRequest`. Of a field that is set several times the values are joined by commas.
extension URLSession {
    /// Authorizes a request, sends it, and returns the whole answer.
    ///
    /// - Parameters:
    ///   - request: the request, without credential.
    ///   - provider: puts the credential on, and is told of a 401.
    ///   - refreshCount: how often a 401 may lead to another try.
    ///   - connection: what connection a request gets on Linux that must not be sent twice; see ``ConnectionUse``.
    /// - Returns: the body and the response. A 401 that ends no session is a response too, not an error.
    /// - Throws: what the provider throws (`NotAuthorized`, `RefreshFailed`), a `URLError` (`.badURL` if the request has no
    ///   scheme or no authority), `CancellationError`.
    public func data(
        for request: HTTPRequest, authorizedBy provider: some AuthorizationProvider, refreshCount: Int = 1,
        connection: ConnectionUse = .automatic
    ) async throws -> (Data, HTTPResponse) {
        let (data, response) = try await data(
            for: URLRequest(of: request), authorizedBy: provider, refreshCount: refreshCount, connection: connection)
        return (data, try HTTPResponse(of: response))
    }

    /// Authorizes a request, sends it with a body from memory, and returns the whole answer.
    ///
    /// - Parameters:
    ///   - request: the request, without credential.
    ///   - bodyData: the body; sent again after a 401 that led to a refresh.
    ///   - provider: puts the credential on, and is told of a 401.
    ///   - refreshCount: how often a 401 may lead to another try.
    ///   - connection: what connection a request gets on Linux that must not be sent twice; see ``ConnectionUse``.
    /// - Returns: the body and the response, whatever its status.
    /// - Throws: what `data(for:authorizedBy:refreshCount:connection:)` throws.
    public func upload(
        for request: HTTPRequest, from bodyData: Data, authorizedBy provider: some AuthorizationProvider,
        refreshCount: Int = 1, connection: ConnectionUse = .automatic
    ) async throws -> (Data, HTTPResponse) {
        let (data, response) = try await upload(
            for: URLRequest(of: request), from: bodyData, authorizedBy: provider, refreshCount: refreshCount,
            connection: connection)
        return (data, try HTTPResponse(of: response))
    }

    /// Authorizes a request, sends it with a body from a file, and returns the whole answer.
    ///
    /// - Parameters:
    ///   - request: the request, without credential.
    ///   - fileURL: the file with the body; read again after a 401 that led to a refresh.
    ///   - provider: puts the credential on, and is told of a 401.
    ///   - refreshCount: how often a 401 may lead to another try.
    ///   - connection: what connection a request gets on Linux that must not be sent twice; see ``ConnectionUse``.
    /// - Returns: the body and the response, whatever its status.
    /// - Throws: what `data(for:authorizedBy:refreshCount:connection:)` throws.
    public func upload(
        for request: HTTPRequest, fromFile fileURL: URL, authorizedBy provider: some AuthorizationProvider,
        refreshCount: Int = 1, connection: ConnectionUse = .automatic
    ) async throws -> (Data, HTTPResponse) {
        let (data, response) = try await upload(
            for: URLRequest(of: request), fromFile: fileURL, authorizedBy: provider, refreshCount: refreshCount,
            connection: connection)
        return (data, try HTTPResponse(of: response))
    }

    /// Authorizes a request, sends it, and stores the answer's body in a temporary file.
    ///
    /// - Parameters:
    ///   - request: the request, without credential.
    ///   - provider: puts the credential on, and is told of a 401.
    ///   - refreshCount: how often a 401 may lead to another try.
    ///   - connection: what connection a request gets on Linux that must not be sent twice; see ``ConnectionUse``.
    /// - Returns: the file, to be moved or removed by the caller, and the response, whatever its status.
    /// - Throws: what `data(for:authorizedBy:refreshCount:connection:)` throws.
    public func download(
        for request: HTTPRequest, authorizedBy provider: some AuthorizationProvider, refreshCount: Int = 1,
        connection: ConnectionUse = .automatic
    ) async throws -> (URL, HTTPResponse) {
        let (file, response) = try await download(
            for: URLRequest(of: request), authorizedBy: provider, refreshCount: refreshCount, connection: connection)
        return (file, try HTTPResponse(of: response))
    }

    #if !canImport(FoundationNetworking)
    /// Authorizes a request, sends it, and returns the answer's body byte by byte.
    ///
    /// - Parameters:
    ///   - request: the request, without credential.
    ///   - provider: puts the credential on, and is told of a 401.
    ///   - refreshCount: how often a 401 may lead to another try.
    /// - Returns: the bytes as they come in, and the response, whatever its status.
    /// - Throws: what `data(for:authorizedBy:refreshCount:connection:)` throws.
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
        guard let urlRequest = URLRequest(httpRequest: request) else { throw URLError(.badURL) }
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
