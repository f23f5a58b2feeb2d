// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationStorage

/// A folder with the tokens of many accounts.
struct AccountsFolder: Sendable {
    let url: URL

    private static let client = "stress"

    func store(_ account: Int) -> RestrictedFileTokenStore<StressToken> {
        RestrictedFileTokenStore(client: Self.client, account: name(account), folder: .at(url.path))
    }

    /// Saves a token for each account. All but the first are copies of its files, because durable saves one by one take
    /// too long.
    func fill(_ accounts: Int) async throws {
        let token = StressToken(accessToken: "access", refreshToken: "refresh", expiresAt: .distantFuture)
        try await store(0).save(
            StoredToken(.token(token), version: TokenVersion(session: UUID(), generation: 0), obtainedAt: .now))
        let prefix = "\(Self.client),\(name(0))."
        for file in try FileManager.default.contentsOfDirectory(atPath: url.path) where file.hasPrefix(prefix) {
            let content = FileManager.default.contents(atPath: "\(url.path)/\(file)") ?? Data()
            for account in 1..<accounts {
                try write(content, to: "\(Self.client),\(name(account)).\(file.dropFirst(prefix.count))")
            }
        }
    }

    /// Not durable, unlike the saves of the store.
    private func write(_ content: Data, to name: String) throws {
        let file = open("\(url.path)/\(name)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemError("make \(name)", code: errno) }
        defer { close(file) }
        let count = content.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
        guard count == content.count else { throw SystemError("write \(name)", code: errno) }
    }

    private func name(_ account: Int) -> String { "user-\(account)" }
}
