// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationURLSession

/// Makes the calls of the demo to four addresses in turn.
struct WebAPIClient: Sendable {
    let base: URL
    let session: URLSession
    let authorization: any AuthorizationProvider
    /// In seconds.
    var timeout: Double = 30

    /// Makes a call and checks its answer.
    ///
    /// - Throws: ``SpotifyError`` for a wrong answer, and the errors of `URLSession` and the provider.
    func call(_ number: Int) async throws {
        let (path, sign) = Self.addresses[number % Self.addresses.count]
        guard let url = URL(string: path, relativeTo: base) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.timeoutInterval = timeout
        let (data, response) = try await session.data(for: request, authorizedBy: authorization)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard status == 200, String(decoding: data, as: UTF8.self).contains(sign) else {
            throw SpotifyError(status: status)
        }
    }

    /// The addresses, each with a part of its right answer.
    private static let addresses = [
        ("/v1/me", #""id":"local-listener""#),
        ("/v1/me/player", #""is_playing":true"#),
        ("/v1/search?q=night&type=track&limit=5", #""name":"Night Ferry""#),
        ("/v1/me/playlists?limit=2", #""total":3"#),
    ]
}
