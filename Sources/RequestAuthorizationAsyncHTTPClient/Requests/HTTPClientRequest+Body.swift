// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore

extension HTTPClientRequest.Body {
    /// Whether the client keeps the body as bytes, and not as something that it reads once.
    ///
    /// The client knows (`canBeConsumedMultipleTimes`) and does not say, so this looks at how the body is made. Whatever it
    /// does not recognise counts as a body that can be read once: a later version of the client that is made in another way
    /// costs a retry, and never sends half a body. `ReplayTests` compares it with what the client does.
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
    /// The client makes a buffer of such a body as soon as it is asked for an iterator, which is public; its `next()` would have to
    /// be waited for. The function that makes the buffer is not to be called from here: what a mirror shows of a function has
    /// another calling convention, and calling it ends the process.
    var bytesInMemory: [UInt8]? {
        guard isKnownToBeInMemory, let storage = Mirror(reflecting: makeAsyncIterator()).descendant("storage"),
            let buffer = Mirror(reflecting: storage).descendant("byteBuffer") as? ByteBuffer
        else { return nil }
        return Array(buffer.readableBytesView)
    }
}
#endif
