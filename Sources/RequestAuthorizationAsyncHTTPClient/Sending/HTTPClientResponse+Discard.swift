// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if AsyncHTTPClient
/// How long discarding a body may take. Tests that check the reuse of the connection raise it.
enum DiscardedBody {
    @TaskLocal static var patience = TimeAmount.seconds(1)
}

extension HTTPClientResponse.Body {
    /// Discards the body of a response that is not returned.
    ///
    /// Reading it to its end lets the client reuse the connection. A long or slow body is dropped, which closes the
    /// connection: a new one is cheaper.
    func discard(until deadline: NIODeadline) async {
        let time = Swift.min(deadline - .now(), DiscardedBody.patience)
        await withTaskGroup { group in
            group.addTask { await readToEnd(atMost: 1 << 16) }
            group.addTask { try? await Task.sleep(for: .nanoseconds(time.nanoseconds)) }
            await group.next()
            group.cancelAll()
        }
    }

    private func readToEnd(atMost limit: Int) async {
        var length = 0
        var parts = makeAsyncIterator()
        while length <= limit, let part = try? await parts.next() { length += part.readableBytes }
    }
}
#endif
