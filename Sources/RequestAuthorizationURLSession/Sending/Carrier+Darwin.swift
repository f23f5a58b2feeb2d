// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if !canImport(FoundationNetworking)

/// Carries the user's calls over the user's session itself.
struct Carrier {
    let session: URLSession
    let settings: SessionSettings
    let slots = ConnectionSlots()

    func withOwnConnections() -> Carrier { self }
    func handlingCookies(of request: URLRequest) -> Carrier { self }

    static func of(_ session: URLSession) -> Carrier {
        Carrier(session: session, settings: SessionSettings(session.configuration))
    }
}
#endif
