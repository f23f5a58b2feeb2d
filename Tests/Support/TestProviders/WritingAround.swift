// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

package import RequestAuthorization

/// Changes the requests of one client directly, without `setCredential`.
package struct WritingAround<Own>: AuthorizationProvider {
    private let write: @Sendable (inout Own) -> Void

    package init(_ write: @escaping @Sendable (inout Own) -> Void) { self.write = write }

    package func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        guard var own = request as? Own else { return request }
        write(&own)
        return own as? Request ?? request
    }
}
