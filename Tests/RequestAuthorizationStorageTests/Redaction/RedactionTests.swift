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
        #expect(try await Exhibit.all().flatMap(\.leaks) == [])
    }

    @Test func `every public type is on show here, or is known to hold no secret`() async throws {
        let shown = Set(try await Exhibit.all().map(\.type))
        let declared = try PublicTypes.declared(in: ["RequestAuthorizationStorage"])
        #expect(declared.contains("RestrictedFileItems"))
        let forgotten = declared.subtracting(shown).subtracting(Self.withoutSecrets)
            .subtracting(Exhibit.encryptionWithoutSecrets).subtracting(Exhibit.cloudWithoutSecrets)
            .subtracting(Exhibit.appGroupWithoutSecrets)
        #expect(forgotten.isEmpty, "show them in Exhibit.all(), or say that they hold no secret")
    }

    /// Names, numbers and places only.
    private static let withoutSecrets: Set = [
        "ExclusiveActivity", "FileError", "FilePurpose", "FileStatus", "FolderBirth", "RestrictedFileAccounts",
        "RecordChange", "SystemFileLayer", "TokenFolder", "TokenMigration",
        "KeychainAccessibility", "KeychainKind", "SecretServiceTokenItem", "SecretServiceTokenStore",
    ]
}

extension Exhibit {
    static func all() async throws -> [Exhibit] {
        try await encryption() + files() + keychain() + cloud() + appGroup() + leased()
    }
}
