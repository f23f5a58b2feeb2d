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
        case admitsNoProof, admitsNoRedirect, admitsAfterTheFirst
        /// This is none: a client may stay with `https`.
        case staysSecure
    }

    let defect: Defect?
    let server: ClientChecks.Server

    func send(_ request: TestRequest, authorizedBy provider: some AuthorizationProvider) async throws -> TestResponse {
        let first = try await provider.credential(for: request)
        var (request, credential, refreshesLeft, proofsLeft) = (request, first, 1, 2)
        while true {
            var sent = request
            try sent.set(credential)
            try Task.checkCancellation()
            let answer = try await server(sent)
            var admits = true
            switch try await credential.judge(answer, afterRefresh: refreshesLeft == 0) {
            case .anew where refreshesLeft > 0 && request.isReplayable: refreshesLeft -= 1
            case .newProof where proofsLeft > 0 && request.isReplayable:
                (proofsLeft, admits) = (proofsLeft - 1, defect != .admitsNoProof)
            default:
                guard let next = redirection(of: request, by: answer) else { return answer }
                guard next.origin == request.origin else { return try await leave(sent, credential, for: next) }
                request = next
                if defect == .followsWithAnOldProof, sent["X-Proof"] != nil { continue }
                guard credential.isForOneRequest else { continue }
                admits = defect != .admitsNoRedirect
            }
            let following = try await provider.credential(for: request)
            if admits { try (defect == .admitsAfterTheFirst ? first : credential).admit(following) }
            credential = following
        }
    }

    private func leave(
        _ sent: TestRequest, _ credential: Credential, for next: TestRequest
    ) async throws -> TestResponse {
        var next = next
        if takesCredential(from: sent, to: next) { for name in sent.fieldNames { next[name] = sent[name] } }
        let answer = try await server(next)
        if defect == .judgesOtherOrigins { _ = try await credential.judge(answer) }
        return answer
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
