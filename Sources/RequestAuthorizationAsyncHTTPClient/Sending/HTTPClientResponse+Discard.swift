// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore

/// How long a body that nobody will see may take. Tests that look at the connection give it more.
enum DiscardedBody {
    @TaskLocal static var patience = TimeAmount.seconds(1)
}

extension HTTPClientResponse.Body {
    /// Lets go of a body that nobody will see.
    ///
    /// Read to its end it gives its connection back. A long or slow one is dropped, which ends the connection: another one is
    /// cheaper then.
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
