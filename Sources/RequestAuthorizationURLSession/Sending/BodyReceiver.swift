// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Sends a request and receives the body of its response in one form: in memory, in a file, or byte by byte.
protocol BodyReceiver<Body>: Sendable {
    associatedtype Body: Sendable

    /// Sends a request once, follows no redirect, and returns the answer.
    func receive(
        _ request: URLRequest, body: RequestBody, over carrier: Carrier, delegate: HopDelegate, limits: SessionLimits
    ) async throws -> (Body, URLResponse)

    /// Discards the body of a response that is not returned.
    func discard(_ body: Body)
}

/// Receives a body in memory.
struct DataReceiver: BodyReceiver {
    func discard(_ body: Data) {}
}

/// Receives a body in a temporary file.
struct FileReceiver: BodyReceiver {
    func discard(_ file: URL) { try? FileManager.default.removeItem(at: file) }
}
