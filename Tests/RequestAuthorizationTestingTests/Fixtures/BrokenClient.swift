// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting

/// A client that follows redirects, with at most one defect.
struct BrokenClient: Sendable {
    enum Defect: Sendable {
        case followsWithASpentBody, followsWithAnOldProof
        case comparesNoHosts, comparesNoPorts, comparesNoSchemes, judgesOtherOrigins
        /// This is none: a client may stay with `https`.
        case staysSecure
    }

    let defect: Defect?
    let server: ClientChecks.Server

    func send(_ request: TestRequest, authorizedBy provider: some AuthorizationProvider) async throws -> TestResponse {
        var request = request
        while true {
            var sent = request
            let answer = try await provider.send(request) { authorized in
                sent = authorized
                return try await server(authorized)
            }
            guard var next = redirection(of: request, by: answer) else { return answer }
            guard next.origin != request.origin else {
                guard defect == .followsWithAnOldProof, let proof = sent["X-Proof"] else {
                    request = next
                    continue
                }
                next["X-Proof"] = proof
                return try await server(next)
            }
            if defect == .judgesOtherOrigins { return try await provider.send(request) { _ in try await server(next) } }
            if takesCredential(from: request, to: next) { for name in sent.fieldNames { next[name] = sent[name] } }
            return try await server(next)
        }
    }

    private func redirection(of request: TestRequest, by answer: TestResponse) -> TestRequest? {
        guard let location = answer.headerValues(for: "Location").first else { return nil }
        var next = request
        next.url = location
        if answer.statusCode < 307 { (next.method, next.body, next.isReplayable) = ("GET", [], true) }
        if defect == .staysSecure, next.origin?.isPlaintext == true { return nil }
        return next.isReplayable || defect == .followsWithASpentBody ? next : nil
    }

    private func takesCredential(from former: TestRequest, to next: TestRequest) -> Bool {
        guard let former = former.origin, let next = next.origin else { return false }
        return switch defect {
        case .comparesNoHosts: next.host != former.host
        case .comparesNoPorts: next.host == former.host && next.scheme == former.scheme
        case .comparesNoSchemes: next.scheme != former.scheme
        default: false
        }
    }
}
