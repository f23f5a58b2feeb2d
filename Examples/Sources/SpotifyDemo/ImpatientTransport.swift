// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationURLSession

/// Limits the time of a token request, because some faults of the demo make it hang.
struct ImpatientTransport: TokenTransport {
    private let base: any TokenTransport
    private let timeout: Duration

    init(_ base: any TokenTransport, timeout: Duration) { (self.base, self.timeout) = (base, timeout) }

    func send(_ request: TokenRequest) async throws -> TokenResponse {
        var request = request
        request.timeout = min(request.timeout, timeout)
        return try await base.send(request)
    }
}
