// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web
import HTTPTypes
import Hummingbird
import Logging

/// Adds the security fields to every answer, against framing, storing, type guessing and scripts. Turns every error
/// into a page that does not reveal the error.
struct SafeAnswers: RouterMiddleware {
    let isSecure: Bool

    func handle(
        _ request: Request, context: SiteContext, next: @concurrent (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error as any HTTPResponseError {
            response = .page(.status(error.status.code, error.status.reasonPhrase))
        } catch {
            // Only the type: the text of the error may contain secrets.
            context.logger.error("A request failed: \(type(of: error))")
            response = .page(.status(500, "Internal Server Error"))
        }
        var fields = Self.fields
        if isSecure { fields["Strict-Transport-Security"] = "max-age=31536000" }
        // The URL of the callback contains the code, which the page must not pass on.
        fields["Referrer-Policy"] = request.uri.path == "/callback" ? "no-referrer" : "same-origin"
        for (name, value) in fields {
            if let name = HTTPField.Name(name) { response.headers[name] = value }
        }
        return response
    }

    private static let fields = [
        "Content-Security-Policy":
            "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    ]
}
#endif
