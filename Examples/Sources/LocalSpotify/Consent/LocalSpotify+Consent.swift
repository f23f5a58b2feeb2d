// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation
import RequestAuthorization

extension LocalSpotify {
    /// What the user says to an app.
    public enum Decision: String, Hashable, Sendable {
        case allow
        case deny
    }

    /// There was nothing that the user could have been asked, and nobody to tell.
    public struct Unanswerable: Error, Hashable, CustomStringConvertible {
        public let description: String
    }

    /// Does what the user does on the consent page, without a browser.
    ///
    ///     let callback = try await spotify.callback(for: pending.url)
    ///
    /// - Parameters:
    ///   - url: the address that the app would open, checked as the page checks it.
    ///   - decision: which button is pressed.
    /// - Returns: where the browser would be sent: with a code, or with an error.
    /// - Throws: ``Unanswerable`` where the page would say so.
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
