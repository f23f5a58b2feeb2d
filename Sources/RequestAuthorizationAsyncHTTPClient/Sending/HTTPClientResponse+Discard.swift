// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if AsyncHTTPClient
extension HTTPClientResponse.Body {
    /// Discards the body of a response that is not returned.
    ///
    /// Reading it to its end lets the client reuse the connection. A long or slow body is dropped, which closes the
    /// connection: a new one is cheaper.
    ///
    /// - Parameter patience: how long that may take.
    func discard(until deadline: NIODeadline, patience: TimeAmount) async {
        let time = Swift.min(deadline - .now(), patience)
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
