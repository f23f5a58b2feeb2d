// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The form in which the body of an answer is wanted.
protocol BodyReceiver<Body>: Sendable {
    associatedtype Body: Sendable

    /// Sends a request once, follows no redirect, and returns the answer.
    func receive(
        _ request: URLRequest, body: RequestBody, over carrier: Carrier, delegate: HopDelegate, limits: SessionLimits
    ) async throws -> (Body, URLResponse)

    /// Lets go of an answer that nobody will see.
    func discard(_ body: Body)
}

/// In memory.
struct DataReceiver: BodyReceiver {
    func discard(_ body: Data) {}
}

/// In a temporary file.
struct FileReceiver: BodyReceiver {
    func discard(_ file: URL) { try? FileManager.default.removeItem(at: file) }
}
