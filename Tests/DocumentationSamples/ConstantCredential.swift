// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Foundation
import RequestAuthorizationURLSession
import Testing

@Suite struct ConstantCredential {
    @Test func `a constant credential is put on a request`() async throws {
        let url = try #require(URL(string: "https://api.example.com/widgets"))
        // sample: constant
        var request = URLRequest(url: url)
        try await request.authorize(using: .bearer("ABC"))
        // end sample
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer ABC")
    }
}
