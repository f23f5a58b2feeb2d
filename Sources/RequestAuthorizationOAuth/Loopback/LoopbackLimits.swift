// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if LoopbackReceiver
/// Limits for inbound connections.
struct LoopbackLimits: Sendable, Hashable {
    /// The request line and the header fields, in bytes.
    var headLength = 8 << 10
    /// How long a connection may last.
    var connectionTime = Duration.seconds(5)
    /// The number of connections at a time; others wait in the system's queue.
    var connections = 16
}
#endif
