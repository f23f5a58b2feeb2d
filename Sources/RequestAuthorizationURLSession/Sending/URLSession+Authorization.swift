// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation
#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// `URLSession`'s own functions with a credential: authorize, send, and after a 401 refresh once and send again.
///
///     let (data, response) = try await URLSession.shared.data(for: request, authorizedBy: auth)
///
/// They return what `URLSession` returns, whatever the status, and do the same on Linux and on Apple's platforms:
///
/// - A redirect to another origin (scheme, host or port) is followed without credential: without `Authorization`, `DPoP`,
///   `Cookie`, `Proxy-Authorization` and without whatever field the provider set. To the same origin it goes along; a provider of
///   yours that has asked for the `targetURI`, to sign it, authorizes that request anew.
/// - After 307 and 308 the body is sent again. Where it cannot be (a stream, or a body that would go from `https` to
///   `http`) the redirect itself is returned.
/// - A 401 is never answered by `URLSession`'s own credentials, and never hangs.
/// - Time-outs hold, also under a second. Cancelling the task ends the call at once, with `CancellationError`.
/// - A delegate of the session hears of redirects (and may change or refuse them) and of challenges other than a 401's.
///
/// What cannot be had from swift-corelibs-foundation: on Linux the body of a 401 that offers `Basic` and the body of a
/// redirect that is returned are empty, a time-out under a second counts from the start of each request instead of from
/// the last byte, and `bytes(for:authorizedBy:)` does not exist. A request with a body or a method that is not idempotent
/// goes over a connection of its own there, because on a reused one that drops `URLSession` would send it twice. At most
/// `httpMaximumConnectionsPerHost` of them are under way to a host, and the others wait in order: see ``ConnectionUse``.
extension URLSession {
    /// Authorizes a request, sends it, and returns the whole answer.
    ///
    /// - Parameters:
    ///   - request: the request, without credential. It is sent again only if its body is not a stream.
    ///   - provider: puts the credential on, and is told of a 401.
    ///   - refreshCount: how often a 401 may lead to another try.
    ///   - connection: what connection a request gets on Linux that must not be sent twice; see ``ConnectionUse``.
    /// - Returns: the body and the response. A 401 that ends no session is a response too, not an error.
    /// - Throws: what the provider throws (`NotAuthorized`, also for a 401 when the session is over; `RefreshFailed`), a
    ///   `URLError`, `CancellationError`.
    public func data(
        for request: URLRequest, authorizedBy provider: some AuthorizationProvider, refreshCount: Int = 1,
        connection: ConnectionUse = .automatic
    ) async throws -> (Data, URLResponse) {
        try await AuthorizedCall(session: self, body: .ofRequest, receiver: DataReceiver(), connection: connection)
            .send(request, authorizedBy: provider, refreshCount: refreshCount)
    }

    /// Authorizes a GET request for a URL, sends it, and returns the whole answer.
    ///
    /// - Parameters:
    ///   - url: where the request goes.
    ///   - provider: puts the credential on, and is told of a 401.
    ///   - refreshCount: how often a 401 may lead to another try.
    /// - Returns: the body and the response, whatever its status.
    /// - Throws: what ``data(for:authorizedBy:refreshCount:connection:)`` throws.
    public func data(
        from url: URL, authorizedBy provider: some AuthorizationProvider, refreshCount: Int = 1
    ) async throws -> (Data, URLResponse) {
        try await data(for: URLRequest(url: url), authorizedBy: provider, refreshCount: refreshCount)
    }

    /// Authorizes a request, sends it with a body from memory, and returns the whole answer.
    ///
    /// - Parameters:
    ///   - request: the request, without credential and body.
    ///   - bodyData: the body; sent again after a 401 that led to a refresh. A provider of yours sees it as `bodyBytes`.
    ///   - provider: puts the credential on, and is told of a 401.
    ///   - refreshCount: how often a 401 may lead to another try.
    ///   - connection: what connection a request gets on Linux that must not be sent twice; see ``ConnectionUse``.
    /// - Returns: the body and the response, whatever its status.
    /// - Throws: what ``data(for:authorizedBy:refreshCount:connection:)`` throws.
    public func upload(
        for request: URLRequest, from bodyData: Data, authorizedBy provider: some AuthorizationProvider,
        refreshCount: Int = 1, connection: ConnectionUse = .automatic
    ) async throws -> (Data, URLResponse) {
        try await AuthorizedCall(session: self, body: .data(bodyData), receiver: DataReceiver(), connection: connection)
            .send(request, authorizedBy: provider, refreshCount: refreshCount)
    }

    /// Authorizes a request, sends it with a body from a file, and returns the whole answer.
    ///
    /// - Parameters:
    ///   - request: the request, without credential and body.
    ///   - fileURL: the file with the body; read again after a 401 that led to a refresh. To a provider of yours it is a stream,
    ///     whose `bodyBytes` are not known.
    ///   - provider: puts the credential on, and is told of a 401.
    ///   - refreshCount: how often a 401 may lead to another try.
    ///   - connection: what connection a request gets on Linux that must not be sent twice; see ``ConnectionUse``.
    /// - Returns: the body and the response, whatever its status.
    /// - Throws: what ``data(for:authorizedBy:refreshCount:connection:)`` throws.
    public func upload(
        for request: URLRequest, fromFile fileURL: URL, authorizedBy provider: some AuthorizationProvider,
        refreshCount: Int = 1, connection: ConnectionUse = .automatic
    ) async throws -> (Data, URLResponse) {
        try await AuthorizedCall(session: self, body: .file(fileURL), receiver: DataReceiver(), connection: connection)
            .send(request, authorizedBy: provider, refreshCount: refreshCount)
    }

    /// Authorizes a request, sends it, and stores the answer's body in a temporary file.
    ///
    /// - Parameters:
    ///   - request: the request, without credential. It is sent again only if its body is not a stream.
    ///   - provider: puts the credential on, and is told of a 401.
    ///   - refreshCount: how often a 401 may lead to another try.
    ///   - connection: what connection a request gets on Linux that must not be sent twice; see ``ConnectionUse``.
    /// - Returns: the file, to be moved or removed by the caller, and the response, whatever its status.
    /// - Throws: what ``data(for:authorizedBy:refreshCount:connection:)`` throws.
    public func download(
        for request: URLRequest, authorizedBy provider: some AuthorizationProvider, refreshCount: Int = 1,
        connection: ConnectionUse = .automatic
    ) async throws -> (URL, URLResponse) {
        try await AuthorizedCall(session: self, body: .ofRequest, receiver: FileReceiver(), connection: connection)
            .send(request, authorizedBy: provider, refreshCount: refreshCount)
    }

    #if !canImport(FoundationNetworking)
    /// Authorizes a request, sends it, and returns the answer's body byte by byte.
    ///
    /// - Parameters:
    ///   - request: the request, without credential. It is sent again only if its body is not a stream.
    ///   - provider: puts the credential on, and is told of a 401.
    ///   - refreshCount: how often a 401 may lead to another try.
    /// - Returns: the bytes as they come in, and the response, whatever its status.
    /// - Throws: what ``data(for:authorizedBy:refreshCount:connection:)`` throws.
    public func bytes(
        for request: URLRequest, authorizedBy provider: some AuthorizationProvider, refreshCount: Int = 1
    ) async throws -> (AsyncBytes, URLResponse) {
        try await AuthorizedCall(session: self, body: .ofRequest, receiver: BytesReceiver(), connection: .automatic)
            .send(request, authorizedBy: provider, refreshCount: refreshCount)
    }
    #endif
}
