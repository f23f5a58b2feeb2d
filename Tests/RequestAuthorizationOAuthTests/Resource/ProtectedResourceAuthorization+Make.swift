// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import RequestAuthorizationURLSession

@testable import RequestAuthorizationOAuth

/// What a person was asked.
final class Asked: Sendable {
    let requests = Lock<[ResourceSignIn.Request]>([])
    let answers: Lock<Bool>

    init(_ answer: Bool = true) { answers = Lock(answer) }

    var reasons: [String] { requests.withLock { $0.map(\.reason.description) } }

    func signIn(_ receiver: some CallbackReceiver = PageOpener()) -> ResourceSignIn {
        .through(receiver) { ask in
            self.requests.withLock { $0.append(ask) }
            return self.answers.withLock { $0 }
        }
    }
}

extension ProtectedResourceAuthorization {
    static func make(
        _ server: RawServer, _ guarded: GuardedServer, asked: Asked = Asked(),
        receiver: some CallbackReceiver = PageOpener(),
        client: ClientIdentity = ClientIdentity(name: "Tool"), records: any ResourceRecords = .inMemory,
        known: ProtectedResource? = nil, proof: ProofOfPossession? = nil, requiresListedPKCE: Bool = true,
        namesResource: Bool = true
    ) -> ProtectedResourceAuthorization {
        ProtectedResourceAuthorization(
            "\(server.base)/mcp", client: client, records: records, policy: .init(backOff: .init(patience: .zero)),
            known: known, proof: proof, requiresListedPKCE: requiresListedPKCE,
            namesResource: namesResource, transport: .patient, clock: guarded.clock, signIn: asked.signIn(receiver))
    }

    /// The person is asked, which ends a stream, and answers when the other stream ends.
    static func make(
        _ server: RawServer, _ guarded: GuardedServer, tells asked: AsyncStream<Void>.Continuation,
        waitsFor answer: AsyncStream<Void>, records: any ResourceRecords = .inMemory
    ) -> ProtectedResourceAuthorization {
        ProtectedResourceAuthorization(
            "\(server.base)/mcp", client: ClientIdentity(name: "Tool"), records: records, transport: .patient,
            clock: guarded.clock,
            signIn: .through(PageOpener()) { _ in
                asked.finish()
                for await _ in answer {}
                return true
            })
    }

    /// The status and the text of the answer to a request.
    func get(_ server: RawServer, _ method: String = "GET", path: String = "/mcp") async throws -> String {
        var request = URLRequest(url: server.url(path))
        request.httpMethod = method
        let (data, response) = try await URLSession.patient.data(for: request, authorizedBy: self)
        return "\((response as? HTTPURLResponse)?.statusCode ?? 0) \(String(decoding: data, as: UTF8.self))"
    }

    /// The session's provider reads its store, as after a notice that it has changed.
    func readStore() async { _ = try? await sessions.session?.provider.refreshNow() }
}
#endif
