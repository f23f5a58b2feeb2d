// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if LoopbackReceiver
/// No callback can be received on this machine.
public struct LoopbackReceiverError: Error {
    /// What went wrong.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// A short label.
        public let description: String

        /// The port could not be listened on; see `underlying`.
        public static let cannotListen = Code(description: "cannot listen")
        /// The path cannot be that of a redirect URI.
        public static let invalidPath = Code(description: "invalid path")
        /// The sign-in that was started has another redirect URI than this receiver's.
        public static let otherRedirectURI = Code(description: "other redirect URI")
    }

    public let code: Code
    /// What the system said; not printed here.
    public let underlying: (any Error)?

    public init(_ code: Code, underlying: (any Error)? = nil) {
        self.code = code
        self.underlying = underlying
    }
}

extension LoopbackReceiverError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        switch code {
        case .cannotListen: "the callback's port cannot be listened on: use port 0, or end what listens there"
        case .invalidPath: "the callback's path must begin with / and hold only what a URL's path may hold"
        case .otherRedirectURI: "the sign-in has another redirect URI: start it with the one that the receiver gives"
        default: "no callback can be received: \(code)"
        }
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["code": code.description]) }
}
#endif
