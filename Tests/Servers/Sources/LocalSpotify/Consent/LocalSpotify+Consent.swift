// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation
import RequestAuthorization

extension LocalSpotify {
    /// The user's answer to an app.
    public enum Decision: String, Hashable, Sendable {
        case allow
        case deny
    }

    /// The request cannot be shown to the user, and the app cannot be told by a redirect.
    public struct Unanswerable: Error, Hashable, CustomStringConvertible {
        public let description: String
    }

    /// Presses a button of the consent page for the user, without a browser.
    ///
    ///     let callback = try await spotify.callback(for: pending.url)
    ///
    /// - Parameters:
    ///   - url: the URL that the app would open. It is checked as the page checks it.
    ///   - decision: the button to press.
    /// - Returns: the URL that the browser would be redirected to, with a code or with an error.
    /// - Throws: ``Unanswerable`` if the page would show a problem.
    public func callback(for url: URL, decision: Decision = .allow) throws -> URL {
        guard let components = URLComponents(url: url, resolvingAgainstBaseURL: false),
            let authority = components.encodedHost, components.path == "/authorize"
        else { throw Unanswerable(description: "Not the address of a consent page.") }
        let issuer = "\(components.scheme ?? "http")://\(authority)" + (components.port.map { ":\($0)" } ?? "")
        let address = try answer(to: Parameters(components.percentEncodedQuery ?? ""), decision)
            .address(issuer: issuer)
        guard let callback = URL(string: address) else { throw Unanswerable(description: "Not an address.") }
        return callback
    }

    private func answer(to parameters: Parameters, _ decision: Decision) throws -> Callback {
        do {
            let request = try AuthorizationRequest(parameters, clients: accounts.clients)
            return decision == .allow ? accounts.agreed(to: request, at: clock.now) : accounts.denied(request)
        } catch AuthorizationRefusal.page(let text) {
            throw Unanswerable(description: text)
        } catch AuthorizationRefusal.redirect(let callback) {
            return callback
        }
    }
}
