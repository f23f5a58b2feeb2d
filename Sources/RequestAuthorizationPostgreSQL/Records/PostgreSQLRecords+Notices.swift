// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
// Notifications of sign-ins and sign-outs, on one connection for all stores of a fleet.
extension PostgreSQLRecords {
    private static let channel = "request_authorization"
    private static let all = "all"

    /// An expression for when the tables were made: the rows of new tables have other keys.
    static let notifyAll = "pg_notify('\(channel)', '\(all)')::text"

    /// A statement of its own, because commits of transactions with a notification wait for each other. A host that does
    /// not listen itself announces to those that do.
    func announce(_ key: String) async {
        _ = try? await query("SELECT pg_notify('\(Self.channel)', $1::text)::text", [key])
    }

    /// Listens until the iteration of the changes ends. It connects again after the connection was lost.
    var changes: AsyncStream<RecordChange>? {
        guard let listener else { return nil }
        let (stream, continuation) = AsyncStream.makeStream(of: RecordChange.self)
        // It outlives the request that asked first, and keeps none of its task-local values.
        let task = Task.detached { [clock] in
            var pause = Duration.seconds(1)
            while !Task.isCancelled {
                do {
                    let payloads = try await listener.listen(to: Self.channel)
                    pause = .seconds(1)
                    // Notifications from before it listened were missed.
                    continuation.yield(.all)
                    for try await payload in payloads {
                        continuation.yield(payload == Self.all ? .all : .record(payload))
                    }
                } catch {}
                guard (try? await clock.sleep(for: pause * Double.random(in: 0.5...1))) != nil else { return }
                pause = min(pause * 2, .seconds(60))
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}
#endif
