// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if !canImport(FoundationNetworking)

// Not compiled on Linux, so it contains only the calls to URLSession. All decisions are in `HopDelegate`,
// `RedirectRule` and `AuthorizedCall`. URLSession itself keeps the time-outs here.

extension DataReceiver {
    func receive(
        _ request: URLRequest, body: RequestBody, over carrier: Carrier, delegate: HopDelegate, limits: SessionLimits
    ) async throws -> (Data, URLResponse) {
        try await withCancellationError {
            switch body {
            case .ofRequest: try await carrier.session.data(for: request, delegate: delegate)
            case .data(let data): try await carrier.session.upload(for: request, from: data, delegate: delegate)
            case .file(let file): try await carrier.session.upload(for: request, fromFile: file, delegate: delegate)
            }
        }
    }
}

extension FileReceiver {
    func receive(
        _ request: URLRequest, body: RequestBody, over carrier: Carrier, delegate: HopDelegate, limits: SessionLimits
    ) async throws -> (URL, URLResponse) {
        try await withCancellationError { try await carrier.session.download(for: request, delegate: delegate) }
    }
}

/// Receives a body byte by byte.
struct BytesReceiver: BodyReceiver {
    func receive(
        _ request: URLRequest, body: RequestBody, over carrier: Carrier, delegate: HopDelegate, limits: SessionLimits
    ) async throws -> (URLSession.AsyncBytes, URLResponse) {
        try await withCancellationError { try await carrier.session.bytes(for: request, delegate: delegate) }
    }

    func discard(_ bytes: URLSession.AsyncBytes) { bytes.task.cancel() }
}

/// Throws `CancellationError` where `URLSession` throws `URLError.cancelled` because the calling task was cancelled.
private func withCancellationError<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
        return try await body()
    } catch let error as URLError where error.code == .cancelled && Task.isCancelled {
        throw CancellationError()
    }
}
#endif
