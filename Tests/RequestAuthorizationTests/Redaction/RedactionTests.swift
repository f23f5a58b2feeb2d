// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RedactionChecks
import RequestAuthorization
import Testing

/// No type of this package prints a secret.
@MainActor
@Suite struct RedactionTests {
    @Test func `no public type shows a secret, whichever way it is printed`() async throws {
        let leaks = try await Exhibit.all().flatMap { exhibit in
            Channel.allCases.filter { Secret.isPart(of: $0.text(of: exhibit.value)) }.map { "\(exhibit.type): \($0)" }
        }
        #expect(leaks == [])
    }

    @Test func `each channel would show a secret`() {
        struct Careless { let key = Secret.text }
        struct CarelessError: LocalizedError { var errorDescription: String? { Secret.text } }
        for channel in Channel.allCases where channel != .localizedDescription && channel != .debugDescription {
            #expect(Secret.isPart(of: channel.text(of: Careless())), "\(channel)")
        }
        #expect(Secret.isPart(of: Channel.debugDescription.text(of: Secret.text)))
        #expect(Secret.isPart(of: Channel.localizedDescription.text(of: CarelessError())))
        let basic = Data("user:\(Secret.text)".utf8).base64EncodedString()
        #expect(Secret.isPart(of: "Basic \(basic)"))
    }

    @Test func `every public type is on show here, or is known to hold no secret`() async throws {
        let shown = Set(try await Exhibit.all().map(\.type))
        let declared = try PublicTypes.declared(in: Self.modules)
        #expect(declared.count > 50)
        let forgotten = declared.subtracting(shown).subtracting(Self.withoutSecrets)
        #expect(forgotten.isEmpty, "show them in Exhibit.all(), or say that they hold no secret")
        let unknown = shown.union(Self.withoutSecrets).subtracting(declared)
        #expect(unknown.isEmpty, "they are not declared any more, or not public")
        #expect(shown.isDisjoint(with: Self.withoutSecrets))
    }

    @Test func `every module is checked`() throws {
        let unseen = try PublicTypes.modules().subtracting(Self.modules).subtracting(Self.modulesWithTestsOfTheirOwn)
        #expect(unseen.isEmpty, "add them here or test their types in their own tests, with RedactionChecks")
    }

    @Test func `a type without a secret is readable`() {
        #expect("\(Origin(host: "api.example.com", port: 8443))" == "https://api.example.com:8443")
        let policy = "\(RefreshPolicy.default)"
        for part in ["120.0 seconds", "jitter: 0.2", "deadline: 30.0 seconds", "limit: 5"] {
            #expect(policy.contains(part), "\(policy)")
        }
    }

    @Test func `a type that holds a secret prints its name`() {
        #expect("\(BearerTokenAuthorization(token: "ABC"))" == "BearerTokenAuthorization([redacted])")
        #expect("\(OtherOrigins.use(.bearer("ABC"))) \(OtherOrigins.refuse)" == "use([redacted]) refuse")
        #expect("\(CarefulToken())" == "CarefulToken([redacted])")
        #expect("\(TokenChange.tokenUpdated(LooseToken()))" == "tokenUpdated([redacted])")
        #expect(
            "\(TokenChange<LooseToken>.tokenInvalidated(NotAuthorized(.signedOut)))" == "tokenInvalidated(signed out)")
        #expect(
            "\(UnauthorizedResponse(fields: ["WWW-Authenticate": ["Bearer realm=a, x=y"]]))"
                == #"401 [Bearer realm="a", x=…]"#)
        #expect("\(TokenResponse(statusCode: 200, body: [1, 2]))" == "200 (2 bytes)")
    }

    // MARK: - What is known

    private static let modules: Set = [
        "RequestAuthorization", "RequestAuthorizationURLSession", "RequestAuthorizationTesting",
    ]

    private static let modulesWithTestsOfTheirOwn: Set = [
        "CPostgreSQL",  // declarations of libpq
        "CSecretService",  // declarations of libsecret
        "RequestAuthorizationAsyncHTTPClient",
        "RequestAuthorizationGRPC",
        "RequestAuthorizationHTTPTypes",
        "RequestAuthorizationOAuth",
        "RequestAuthorizationPostgreSQL",
        "RequestAuthorizationSpotify",
        "RequestAuthorizationTelemetry",
        "RequestAuthorizationStorage",
    ]

    /// Names, numbers, dates, origins and sessions only.
    private static let withoutSecrets: Set = [
        "InvalidTokenRequest", "InvalidTokenResponse.Problem", "JSONDateFormat", "TokenRequestPurpose",
        "AuthorizationEvent.Kind", "ConnectionUse", "DeadlineExceeded", "HeldStoreCall", "ManualClock",
        "NotAuthorized.Reason", "Origin",
        "AuthorizableRequestChecks", "AuthorizationStatus.Phase", "ClientChecks", "RefreshCause", "RefreshIntent",
        "RefreshOutcome",
        "RefreshPolicy",
        "RefreshPolicy.AheadOfExpiry", "RefreshPolicy.BackOff", "RefreshPolicy.Leeway", "RefreshPolicy.Storm",
        "SystemClock", "TokenExpiredOnArrival", "TokenFailureKind", "TokenRequestDelivery", "TokenAbsence",
        "TokenSaveCondition",
        "TokenStoreError.Kind",
        "Verdict",
        "TokenStoreOperation.Kind", "TokenTransportChecks", "TokenTransportError.Code", "TokenVersion",
    ]
}
