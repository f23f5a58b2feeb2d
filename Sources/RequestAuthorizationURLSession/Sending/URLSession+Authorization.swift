// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Adds authorization to `URLSession`'s own functions: authorize, send, and after a 401 refresh once and send again.
///
///     let (data, response) = try await URLSession.shared.data(for: request, authorizedBy: auth)
///
/// They return what `URLSession` returns, whatever the status, and do the same on Linux and on Apple's platforms:
///
/// - A redirect to another origin (scheme, host or port) is followed without credential: `Authorization`, `DPoP`,
///   `Cookie`, `Proxy-Authorization` and all fields that the provider set are removed. A redirect to the same origin
///   keeps them, unless the credential is for one request, as a signature is. Then the provider makes another one.
/// - After 307 and 308 the body is sent again. If that is impossible (a stream, or a redirect from `https` to
///   `http`), the redirect itself is returned.
/// - `URLSession` never answers a 401 with its own credentials, and a 401 never hangs.
/// - Time-outs hold, also under a second. Cancelling the task ends the call at once, with `CancellationError`.
/// - The session's delegate may change or refuse redirects, and answers challenges, except a 401's.
///
/// On Linux, swift-corelibs-foundation sets limits:
///
/// - The body of a 401 that offers `Basic`, and the body of a redirect that is returned, are empty.
/// - A time-out under a second counts from the start of each request, not from the last byte.
/// - `bytes(for:authorizedBy:)` does not exist.
/// - A request with a body, or with a method that is not idempotent, gets a connection of its own: `URLSession` would
///   send it twice if a reused connection dropped. At most `httpMaximumConnectionsPerHost` of them are sent to a host
///   at a time, and the others wait in order. See ``ConnectionUse``.
extension URLSession {
    /// Authorizes and sends a request, and returns the whole answer.
    ///
    /// - Parameters:
    ///   - request: the request, without credential. It is sent again only if its body is not a stream.
    ///   - provider: adds the credential, and is told of a 401.
    ///   - refreshCount: the highest number of retries after a 401.
    ///   - connection: on Linux, which connection carries a request that must not be sent twice; see ``ConnectionUse``.
    /// - Returns: the body and the response. A 401 is a response, not an error, unless the session is over.
    /// - Throws: what the provider throws (`NotAuthorized`, also for a 401 when the session is over;
    ///   `RefreshFailed`), a `URLError`, `CancellationError`.
    public func data(
        for request: URLRequest, authorizedBy provider: some AuthorizationProvider, refreshCount: Int = 1,
        connection: ConnectionUse = .automatic
    ) async throws -> (Data, URLResponse) {
        try await AuthorizedCall(session: self, body: .ofRequest, receiver: DataReceiver(), connection: connection)
            .send(request, authorizedBy: provider, refreshCount: refreshCount)
    }

    /// Authorizes and sends a GET request, and returns the whole answer.
    ///
    /// All else is as in `data(for:authorizedBy:refreshCount:connection:)`.
    public func data(
        from url: URL, authorizedBy provider: some AuthorizationProvider, refreshCount: Int = 1
    ) async throws -> (Data, URLResponse) {
        try await data(for: URLRequest(url: url), authorizedBy: provider, refreshCount: refreshCount)
    }

    /// Authorizes and sends a request with a body from memory, and returns the whole answer.
    ///
    /// The body is sent again in a retry. Your own provider sees it as `bodyBytes`. All else is as in
    /// `data(for:authorizedBy:refreshCount:connection:)`.
    public func upload(
        for request: URLRequest, from bodyData: Data, authorizedBy provider: some AuthorizationProvider,
        refreshCount: Int = 1, connection: ConnectionUse = .automatic
    ) async throws -> (Data, URLResponse) {
        try await AuthorizedCall(session: self, body: .data(bodyData), receiver: DataReceiver(), connection: connection)
            .send(request, authorizedBy: provider, refreshCount: refreshCount)
    }

    /// Authorizes and sends a request with a body from a file, and returns the whole answer.
    ///
    /// The file is read again in a retry. Your own provider sees a stream, whose `bodyBytes` are `nil`. All else is
    /// as in `data(for:authorizedBy:refreshCount:connection:)`.
    public func upload(
        for request: URLRequest, fromFile fileURL: URL, authorizedBy provider: some AuthorizationProvider,
        refreshCount: Int = 1, connection: ConnectionUse = .automatic
    ) async throws -> (Data, URLResponse) {
        try await AuthorizedCall(session: self, body: .file(fileURL), receiver: DataReceiver(), connection: connection)
            .send(request, authorizedBy: provider, refreshCount: refreshCount)
    }

    /// Authorizes and sends a request, and stores the answer's body in a temporary file.
    ///
    /// The caller must move or remove the file. All else is as in `data(for:authorizedBy:refreshCount:connection:)`.
    public func download(
        for request: URLRequest, authorizedBy provider: some AuthorizationProvider, refreshCount: Int = 1,
        connection: ConnectionUse = .automatic
    ) async throws -> (URL, URLResponse) {
        try await AuthorizedCall(session: self, body: .ofRequest, receiver: FileReceiver(), connection: connection)
            .send(request, authorizedBy: provider, refreshCount: refreshCount)
    }

    #if !canImport(FoundationNetworking)
    /// Authorizes and sends a request, and returns the answer's body byte by byte.
    ///
    /// All else is as in `data(for:authorizedBy:refreshCount:connection:)`.
    public func bytes(
        for request: URLRequest, authorizedBy provider: some AuthorizationProvider, refreshCount: Int = 1
    ) async throws -> (AsyncBytes, URLResponse) {
        try await AuthorizedCall(session: self, body: .ofRequest, receiver: BytesReceiver(), connection: .automatic)
            .send(request, authorizedBy: provider, refreshCount: refreshCount)
    }
    #endif
}
