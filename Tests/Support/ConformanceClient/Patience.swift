// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import RequestAuthorization
import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The date passes, and no time limit does: a suite on a machine that is busy has not gone away.
struct PatientClock: AuthorizationClock {
    var now: Date { .now }
    var uptime: Duration { .zero }

    func sleep(for duration: Duration) async throws { try await SystemClock.system.sleep(for: duration * 10) }
}

/// Gives each exchange five minutes.
struct PatientTransport: TokenTransport {
    func send(_ request: TokenRequest) async throws -> TokenResponse {
        var request = request
        request.timeout = .seconds(300)
        return try await URLSession.shared.send(request)
    }
}

extension TokenTransport where Self == PatientTransport {
    static var patient: Self { PatientTransport() }
}
#endif
