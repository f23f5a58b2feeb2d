// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if LoopbackReceiver
/// The receiver cannot receive a callback on this machine.
public struct LoopbackReceiverError: Error {
    /// What went wrong.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// A short label.
        public let description: String

        /// Listening on the port failed; see `underlying`.
        public static let cannotListen = Code(description: "cannot listen")
        /// The path is not valid in a redirect URI.
        public static let invalidPath = Code(description: "invalid path")
        /// The sign-in has a redirect URI that is not this receiver's.
        public static let otherRedirectURI = Code(description: "other redirect URI")
    }

    public let code: Code
    /// The system's error. The description does not contain it.
    public let underlying: (any Error)?

    public init(_ code: Code, underlying: (any Error)? = nil) {
        self.code = code
        self.underlying = underlying
    }
}

extension LoopbackReceiverError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        switch code {
        case .cannotListen:
            "listening on the callback's port failed: use port 0, or end the program that listens on this port"
        case .invalidPath:
            "the callback's path is not valid: begin it with /, and use only characters of a URL's path"
        case .otherRedirectURI:
            "the sign-in has another redirect URI than the receiver: start it with the one that the receiver passes"
        default: "the receiver cannot receive a callback: \(code)"
        }
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["code": code.description]) }
}
#endif
