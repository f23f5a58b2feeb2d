// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore

extension HTTPClientRequest.Body {
    /// Whether the client keeps the body as bytes that can be read more than once.
    ///
    /// The client's `canBeConsumedMultipleTimes` is internal, so a mirror reads the body's structure. A body that the
    /// mirror does not recognise counts as readable once. If a later client changes the structure, retries are lost,
    /// but half a body is never sent. `ReplayTests` compares the result with the client's behaviour.
    var isKnownToBeInMemory: Bool {
        guard let mode = Mirror(reflecting: self).descendant("mode"),
            let (label, payload) = Mirror(reflecting: mode).children.first
        else { return false }
        switch label {
        case "byteBuffer": return true
        case "sequence": return Mirror(reflecting: payload).descendant("canBeConsumedMultipleTimes") as? Bool ?? false
        default: return false
        }
    }

    /// A copy of the body if it is known to be in memory.
    ///
    /// The client makes the buffer in `makeAsyncIterator()`, which is public; `next()` would suspend. Calling the
    /// function that makes the buffer through the mirror would crash: its calling convention differs.
    var bytesInMemory: [UInt8]? {
        guard isKnownToBeInMemory, let storage = Mirror(reflecting: makeAsyncIterator()).descendant("storage"),
            let buffer = Mirror(reflecting: storage).descendant("byteBuffer") as? ByteBuffer
        else { return nil }
        return Array(buffer.readableBytesView)
    }
}
#endif
