// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RedactionChecks
import RequestAuthorization
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import Testing

/// No type of this module prints a secret.
@Suite struct RedactionTests {
    @Test func `no public type shows a secret, whichever way it is printed`() async throws {
        let leaks = try await Exhibit.all().flatMap { exhibit in
            Channel.allCases.filter { Secret.isPart(of: $0.text(of: exhibit.value)) }.map { "\(exhibit.type): \($0)" }
        }
        #expect(leaks == [])
    }

    @Test func `every public type is on show here, or is known to hold no secret`() async throws {
        let shown = Set(try await Exhibit.all().map(\.type))
        let declared = try PublicTypes.declared(in: ["RequestAuthorizationStorage"])
        #expect(declared.contains("TokenStoreError"))
        let forgotten = declared.subtracting(shown).subtracting(Self.withoutSecrets)
            .subtracting(Exhibit.encryptionWithoutSecrets).subtracting(Exhibit.cloudWithoutSecrets)
            .subtracting(Exhibit.appGroupWithoutSecrets)
        #expect(forgotten.isEmpty, "show them in Exhibit.all(), or say that they hold no secret")
    }

    /// Names, numbers and places only.
    private static let withoutSecrets: Set = [
        "ExclusiveActivity", "FileError", "FilePurpose", "FileStatus", "RestrictedFileAccounts", "SystemFileLayer",
        "TokenFolder", "TokenMigration",
        "KeychainAccessibility", "KeychainKind", "SecretServiceTokenItem", "SecretServiceTokenStore",
        "TokenStoreError.Kind",
    ]
}

/// A value of a public type that was made to hold the secret wherever it can.
struct Exhibit {
    /// As it is declared, for instance `TokenStoreError.Kind`.
    let type: String
    let value: Any

    init(_ type: String, _ value: Any) { (self.type, self.value) = (type, value) }

    static func all() async throws -> [Exhibit] {
        try await [
            Exhibit("TokenStoreError", TokenStoreError(.failed, "no", underlying: SecretError()))
        ] + encryption() + files() + keychain() + cloud() + appGroup()
    }
}

/// An error below that says more than it should.
struct SecretError: Error, CustomStringConvertible {
    let description = "cannot parse \(Secret.text)"
}
