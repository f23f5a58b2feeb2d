// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

package import RequestAuthorization

/// Sets any fields, records each 401, and refuses a retry.
package final class LooseProvider: AuthorizationProvider {
    package let fields: [String: String]
    package let refusals = Lock<[UnauthorizedResponse]>([])

    package init(_ fields: [String: String] = ["X-Loose": "1"]) { self.fields = fields }

    package func credential(for request: some AuthorizableRequest) async throws -> Credential {
        try Credential(fields, receipt: Receipt(provider: self))
    }

    private struct Receipt: CredentialReceipt {
        let provider: LooseProvider

        func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict {
            if let refusal = answer.unauthorized { provider.refusals.withLock { $0.append(refusal) } }
            return .accept
        }
    }
}
