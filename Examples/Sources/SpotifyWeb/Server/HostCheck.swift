// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web
import HTTPTypes
import Hummingbird

/// Refuses requests for another host, and forms from another site.
struct HostCheck: RouterMiddleware {
    let address: SiteAddress

    func handle(
        _ request: Request, context: SiteContext, next: @concurrent (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        guard let host = request.head.authority, let origin = address.origin(of: host) else {
            return .page(.wrongHost)
        }
        guard request.method == .get || request.method == .head || Self.isOurs(request, origin: origin) else {
            return .page(.forgedForm)
        }
        var context = context
        context.origin = origin
        return try await next(request, context)
    }

    /// Browsers send the origin of a form, which must be ours. The form's token is checked as well.
    private static func isOurs(_ request: Request, origin: String) -> Bool {
        if let said = request.headers[.origin], said != origin { return false }
        guard let field = HTTPField.Name("Sec-Fetch-Site"), let said = request.headers[field] else { return true }
        return said == "same-origin"
    }
}
#endif
