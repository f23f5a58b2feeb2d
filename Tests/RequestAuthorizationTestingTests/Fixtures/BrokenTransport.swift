// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `URLSession` with one defect.
final class BrokenTransport: TokenTransport {
    enum Defect: Sendable {
        case losesBody, losesField, changesMethod
        case throwsForErrors, losesAnswerFields, losesAnswerBody
        case followsRedirects, keepsCookies, keepsAnswers
        case sendsAgain, sendsAgainWhenLate, mixesAnswers
        case takesAnyLength, refusesTheLongest, returnsHalfAnswers
        case throwsErrorsOfItsClient, saysUnsent, saysSent, hidesCancellation, isDeafToEarlierCancellation
        case readsToTheEnd, timesOutWhenIdle
    }

    private struct Memory {
        var cookie: String?
        var answers: [URL: TokenResponse] = [:]
        var calls: [URL: Task<TokenResponse, any Error>] = [:]
    }

    private let defect: Defect
    private let base = URLSession(configuration: .ephemeral)
    private let memory = Lock(Memory())

    init(_ defect: Defect) { self.defect = defect }

    func send(_ request: TokenRequest) async throws -> TokenResponse {
        do {
            return try await sendWithDefect(changed(request))
        } catch is CancellationError where defect == .hidesCancellation {
            throw TokenTransportError(.other, delivery: .mayHaveBeenProcessed)
        } catch let error as TokenTransportError where defect == .throwsErrorsOfItsClient {
            throw error.underlying ?? error
        } catch let error as TokenTransportError where defect == .saysUnsent {
            throw TokenTransportError(error.code, delivery: .notSent)
        } catch let error as TokenTransportError where defect == .saysSent {
            throw TokenTransportError(error.code, delivery: .mayHaveBeenProcessed)
        } catch let error as TokenTransportError where defect == .returnsHalfAnswers && error.code == .connectionLost {
            return TokenResponse(statusCode: 200)
        } catch let error as TokenTransportError where defect == .sendsAgain && error.code == .connectionLost {
            return try await base.send(request)
        } catch let error as TokenTransportError where defect == .sendsAgainWhenLate && error.code == .timedOut {
            return try await base.send(request)
        }
    }

    private func changed(_ request: TokenRequest) -> TokenRequest {
        var request = request
        switch defect {
        case .losesBody: request.body = request.body.filter { $0 != 0 }
        case .losesField: request.fields = request.fields.filter { $0.name != "X-Probe" }
        case .changesMethod: request.method = request.method == "PUT" ? "POST" : request.method
        case .keepsCookies:
            if let cookie = memory.withLock({ $0.cookie }) { request.fields.append(("Cookie", cookie)) }
        case .takesAnyLength, .readsToTheEnd: request.maximumResponseLength = 1 << 30
        case .refusesTheLongest: request.maximumResponseLength -= 1
        default: break
        }
        return request
    }

    private func sendWithDefect(_ request: TokenRequest) async throws -> TokenResponse {
        if defect == .timesOutWhenIdle, request.timeout == .seconds(1) { return try await sendUntilIdle(request) }
        if defect == .isDeafToEarlierCancellation, Task.isCancelled {
            return try await Task { [base] in try await base.send(request) }.value
        }
        if defect == .mixesAnswers { return try await call(request).value }
        if defect == .keepsAnswers, let kept = memory.withLock({ $0.answers[request.url] }) { return kept }
        let answer = try await base.send(request)
        if defect == .readsToTheEnd, answer.body.count > 1000 {
            throw TokenTransportError(.responseTooLong, delivery: .mayHaveBeenProcessed)
        }
        switch defect {
        case .throwsForErrors where answer.statusCode >= 500:
            throw TokenTransportError(.other, delivery: .mayHaveBeenProcessed)
        case .losesAnswerFields: return TokenResponse(statusCode: answer.statusCode, body: answer.body)
        case .losesAnswerBody where answer.statusCode >= 400:
            return TokenResponse(statusCode: answer.statusCode, fields: answer.fields)
        case .followsRedirects:
            guard let location = answer.headerValues(for: "Location").first else { return answer }
            var next = request
            next.url = URL(string: location, relativeTo: request.url)?.absoluteURL ?? request.url
            return try await base.send(next)
        case .keepsCookies: memory.withLock { $0.cookie = answer.headerValues(for: "Set-Cookie").first }
        case .keepsAnswers:
            if request.method == "GET" { memory.withLock { $0.answers[request.url] = answer } }
        default: break
        }
        return answer
    }

    /// Ends by itself only if no byte of an answer arrives.
    private func sendUntilIdle(_ request: TokenRequest) async throws -> TokenResponse {
        var request = request
        (request.timeout, request.maximumResponseLength) = (.seconds(6), 0)
        do {
            return try await base.send(request)
        } catch let error as TokenTransportError where error.code == .responseTooLong {
            (request.timeout, request.maximumResponseLength) = (.seconds(3600), 1000)
            return try await base.send(request)
        }
    }

    /// The call of this URL that is under way.
    private func call(_ request: TokenRequest) -> Task<TokenResponse, any Error> {
        memory.withLock { memory in
            if let call = memory.calls[request.url] { return call }
            let call = Task { [base, self] in
                defer { self.memory.withLock { $0.calls[request.url] = nil } }
                return try await base.send(request)
            }
            memory.calls[request.url] = call
            return call
        }
    }
}
