// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import RequestAuthorizationGRPC

typealias Message = [UInt8]

/// Messages as they are on the wire, without protobuf.
struct Bytes: MessageSerializer, MessageDeserializer {
    func serialize<Bytes: GRPCContiguousBytes>(_ message: Message) throws -> Bytes { Bytes(message) }

    func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> Message {
        bytes.withUnsafeBytes { Array($0) }
    }
}

extension Message {
    init(_ text: String) { self = Array(text.utf8) }
}
#endif
