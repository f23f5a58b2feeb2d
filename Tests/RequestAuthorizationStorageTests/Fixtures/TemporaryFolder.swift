// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationStorage
import RequestAuthorizationTesting

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A folder for one test, which is removed with it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(
            atPath: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        path = place
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The folder of the stores, which they create.
    var tokens: String { path + "/tokens" }

    func store(client: String = "client", account: String = "me") -> RestrictedFileTokenStore<TestToken> {
        RestrictedFileTokenStore(client: client, account: account, folder: .at(tokens))
    }

    /// The names in the folder of the stores, sorted.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: tokens)) ?? []).sorted() }

    func file(_ name: String) -> String { "\(tokens)/\(name)" }

    func content(of name: String) -> Data? { FileManager.default.contents(atPath: file(name)) }

    func write(_ text: String, to name: String) throws { try write(Data(text.utf8), to: name) }

    func write(_ data: Data, to name: String) throws {
        try data.write(to: URL(filePath: file(name)))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file(name))
    }

    /// The bits of a file or folder, for instance 0o600.
    static func mode(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }
}
