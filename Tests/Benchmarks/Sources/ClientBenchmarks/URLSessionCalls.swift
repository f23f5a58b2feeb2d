// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Clients
import BenchmarkSupport
import Foundation
import RequestAuthorizationURLSession
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `data(for:authorizedBy:)` compared with `data(for:)` of a session without a cache, with a constant header field.
///
/// A cache would hide what a call costs: `data(for:)` searches it for each request, calls with a credential do not.
func compareURLSession() async throws -> [Comparison] {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration)
    let request = try URLRequest(url: Fixture.server().url("/v1/widgets?page=1"))
    let constant = try await request.authorized(using: Fixture.auth)
    let calls = Calls(
        "data(for:authorizedBy:) / data(for:) without a cache",
        { _ = try await session.data(for: request, authorizedBy: Fixture.auth) },
        against: { _ = try await session.data(for: constant) })
    return [calls.inSequence(batch: 400, rounds: 100, on: .shared, bound: 1)]
}

/// `data(for:authorizedBy:)` compared with a `URLSession` task with its own delegate, and with `data(for:)`, both with
/// a constant header field.
///
/// On Linux `data(for:)` calls back directly. All other callbacks of a user's session wait for an operation queue.
/// Calls with a provider have a session of ours, so contender and base share no connection. Nor does the control.
func measureURLSession(slowDown: Double?) async throws -> [Figure] {
    let server = try Fixture.server()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = 64
    let (session, other) = (URLSession(configuration: configuration), URLSession(configuration: configuration))
    let request = try URLRequest(url: server.url("/v1/widgets?page=1"))
    let constant = try await request.authorized(using: Fixture.auth)
    let withDelegate = Calls(
        "data(for:authorizedBy:) / data task with a delegate",
        { _ = try await session.data(for: request, authorizedBy: Fixture.auth) },
        control: { _ = try await other.data(for: request, authorizedBy: Fixture.auth) },
        against: { try await session.run(constant) })
    let short = Calls(
        "data(for:authorizedBy:) / data(for:)",
        { _ = try await session.data(for: request, authorizedBy: Fixture.auth) },
        control: { _ = try await other.data(for: request, authorizedBy: Fixture.auth) },
        against: { _ = try await session.data(for: constant) })
    let figures = try await withDelegate.measure(slowDown: slowDown) + short.measure(slowDown: slowDown)
    session.invalidateAndCancel()
    other.invalidateAndCancel()
    return figures
}

extension URLSession {
    /// The code of a program that handles redirects itself.
    fileprivate func run(_ request: URLRequest) async throws {
        let flight = Mutex<URLSessionTask?>(nil)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let task = dataTask(with: request) { data, _, error in
                    continuation.resume(with: data == nil ? .failure(error ?? URLError(.unknown)) : .success(()))
                }
                task.delegate = Refusing()
                flight.withLock { $0 = task }
                task.resume()
            }
        } onCancel: {
            flight.withLock { $0 }?.cancel()
        }
    }
}

private final class Refusing: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }
}
#endif
