// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth

/// Proves a client with a new number in each request, and records the requests.
final class CountingAuthenticator: ClientAuthenticator {
    struct Refusal: Error {}

    private let asked = Lock<[ClientRequest]>([])
    private let refusal = Lock<(any Error)?>(nil)

    var requests: [ClientRequest] { asked.withLock { $0 } }

    /// Throws this error instead of making proofs; with `nil` it makes proofs again.
    func refuse(with error: (any Error)?) { refusal.withLock { $0 = error } }

    func authenticate(_ request: ClientRequest) async throws -> ClientProof {
        if let error = refusal.withLock({ $0 }) { throw error }
        await Task.yield()  // like one that asks another program
        let count = asked.withLock { asked in
            asked.append(request)
            return asked.count
        }
        return ClientProof(
            parameters: [
                (name: "client_id", value: request.clientID),
                (name: "client_assertion_type", value: ClientProof.jwtBearer),
                (name: "client_assertion", value: "proof-\(count)"),
            ], fields: [(name: "X-Proof", value: "\(count)")])
    }
}
