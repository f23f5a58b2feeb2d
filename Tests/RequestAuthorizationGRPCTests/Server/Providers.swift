// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import RequestAuthorization
import RequestAuthorizationTesting

typealias Auth = RefreshableTokenAuthorization<TestToken>

extension RefreshableTokenAuthorization where Token == TestToken {
    /// A provider that holds the token `a`, and one that a script refreshes; `onHold` is called when a call is held.
    static func holdingA(
        _ service: ScriptedTokenService<TestToken>, onHold: (@Sendable () -> Void)? = nil
    ) -> Auth {
        Auth(service: service, token: TestToken("a"), store: nil, clock: ManualClock(), onHold: onHold)
    }
}

/// Sets one field to whatever it is told, unchecked, and keeps what servers said.
final class LooseProvider: AuthorizationProvider {
    let refusals = Lock<[UnauthorizedResponse]>([])
    private let field: String
    private let value: String

    init(_ field: String = "Authorization", _ value: String = "Bearer a") { (self.field, self.value) = (field, value) }

    func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        var request = request
        request.setCredential(value, in: field)
        return request
    }

    func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        _ response: UnauthorizedResponse, for request: Request
    ) async throws {
        refusals.withLock { $0.append(response) }
        throw NotAuthorized(.notRefreshable)
    }
}

struct Offline: Error {}
#endif
