// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// Stand-ins for the receiver without the trait, whose message names the trait.
#if !LoopbackReceiver

@available(
    *, unavailable,
    message: "LoopbackReceiver needs swift-nio: enable the trait 'LoopbackReceiver' of swift-request-authorization"
)
public struct LoopbackReceiver: Sendable, CallbackReceiver {
    public enum Address: Sendable, Hashable {
        case ipv4, ipv6
    }

    public init(
        port: UInt16 = 0, path: String = "/callback", timeout: Duration = .seconds(600), address: Address = .ipv4
    ) {
        fatalError("unavailable")
    }

    public func callback(
        for start: @Sendable (_ redirectURI: String) async throws -> PendingSignIn,
        show: @Sendable (URL) async throws -> Void
    ) async throws -> URL {
        fatalError("unavailable")
    }
}

@available(
    *, unavailable,
    message: "LoopbackReceiver needs swift-nio: enable the trait 'LoopbackReceiver' of swift-request-authorization"
)
extension CallbackReceiver where Self == LoopbackReceiver {
    public static var loopback: LoopbackReceiver { fatalError("unavailable") }

    public static func loopback(
        port: UInt16 = 0, path: String = "/callback", timeout: Duration = .seconds(600),
        address: LoopbackReceiver.Address = .ipv4
    ) -> LoopbackReceiver {
        fatalError("unavailable")
    }
}
#endif
