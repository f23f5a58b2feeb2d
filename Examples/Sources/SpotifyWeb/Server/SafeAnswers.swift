// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web
import HTTPTypes
import Hummingbird
import Logging

/// Puts the fields on every answer that keep a page from being framed, stored, guessed at and scripted, and makes a page of
/// every error that says nothing about it.
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
            // Its type only: its text may hold what nobody should read in a log.
            context.logger.error("A request failed: \(type(of: error))")
            response = .page(.status(500, "Internal Server Error"))
        }
        var fields = Self.fields
        if isSecure { fields["Strict-Transport-Security"] = "max-age=31536000" }
        // The callback's address holds the code: nothing that its page loads may learn it.
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
