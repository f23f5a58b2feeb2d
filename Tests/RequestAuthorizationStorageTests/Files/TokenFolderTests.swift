// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct TokenFolderTests {
    #if !canImport(Darwin)
    @Test func `the place is XDG's if that is absolute, else in the home`() throws {
        let name = "/swift-request-authorization"
        #expect(TokenFolder.stateFolder(["XDG_STATE_HOME": "/s", "HOME": "/h"]).path == "/s" + name)
        for relative in ["", "s", "./s", "~/s"] {
            #expect(
                TokenFolder.stateFolder(["XDG_STATE_HOME": relative, "HOME": "/h"]).path == "/h/.local/state" + name)
        }
        let registered = TokenFolder.stateFolder(["HOME": "h"]).path
        #expect(registered.hasPrefix("/") && registered.hasSuffix("/.local/state" + name))
        #expect(TokenFolder.stateFolder([:]).path == registered)
    }

    /// Foundation on Apple's platforms gives Application Support that way.
    @Test func `a place that ends with a slash gives the same folder`() {
        let folder = TokenFolder.stateFolder(["XDG_STATE_HOME": "/s/"])
        #expect(folder == TokenFolder.stateFolder(["XDG_STATE_HOME": "/s"]))
        #expect(folder.path == "/s/swift-request-authorization")
    }

    /// The cases are `sudo` with a kept `HOME`, and `sudo -E`.
    @Test(arguments: ["HOME", "XDG_STATE_HOME"])
    func `a home of another user is refused, and nothing is created there`(variable: String) async throws {
        let folder = try TemporaryFolder()
        var home = "/usr"
        if geteuid() == 0 {
            home = folder.path
            #expect(chown(home, 65534, 65534) == 0)
        }
        let store = RestrictedFileTokenStore<TestToken>(
            client: "client", account: "me", folder: .stateFolder([variable: home]))
        #expect(try await store.load() == nil)
        let error = await #expect(throws: TokenStoreError.self) { try await store.save(.make(1)) }
        #expect(error?.kind == .notPrivate)
        #expect(error?.detail.contains("not with sudo") == true)
        if geteuid() == 0 { #expect(try FileManager.default.contentsOfDirectory(atPath: home).isEmpty) }
    }

    @Test func `a home of the same user is used`() async throws {
        let folder = try TemporaryFolder()
        let store = RestrictedFileTokenStore<TestToken>(
            client: "client", account: "me", folder: .stateFolder(["HOME": folder.path]))
        try await store.save(.make(1))
        let place = folder.path + "/.local/state/swift-request-authorization"
        #expect(FileManager.default.fileExists(atPath: place + "/client,me.token"))
        #expect(try TemporaryFolder.mode(of: folder.path + "/.local") == 0o700)
    }
    #endif

    @Test func `a folder whose name begins with a combining mark is made with the one above it`() async throws {
        let folder = try TemporaryFolder()
        let store = RestrictedFileTokenStore<TestToken>(
            client: "client", account: "me", folder: .at(folder.path + "/new/\u{301}a"))
        try await store.save(.make(1))
        #expect(try await store.load() == .make(1))
    }

    @Test func `a folder prints as its path`() {
        #expect("\(TokenFolder.at("/srv/tokens/"))" == "/srv/tokens")
    }
}
