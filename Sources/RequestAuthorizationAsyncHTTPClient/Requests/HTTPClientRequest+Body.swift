// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if AsyncHTTPClient
import AsyncHTTPClient

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
}
#endif
