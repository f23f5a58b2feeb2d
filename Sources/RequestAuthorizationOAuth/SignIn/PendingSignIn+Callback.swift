// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension PendingSignIn {
    /// Whether a callback is the answer to this sign-in: it came to the redirect URI and has the `state`.
    ///
    /// Anything else is foreign and leaves the sign-in as it is. That the answer is a good one is for
    /// ``OAuthTokenService/finish(callback:)`` to say.
    public func accepts(_ callback: URL) -> Bool { parameters(of: callback) != nil }

    /// The parameters of the answer to this sign-in; `nil` for a foreign callback.
    func parameters(of callback: URL) -> FormPairs? {
        guard let uri = try? RedirectURI(redirectURI), let parameters = uri.parameters(of: callback.absoluteString),
            case .text(let state) = parameters["state"], ConstantTime.areEqual(state, self.state)
        else { return nil }
        return parameters
    }

    /// Reads the code out of the answer.
    ///
    /// - Parameters:
    ///   - parameters: of ``parameters(of:)``, so with the right state.
    ///   - now: the time of day.
    /// - Throws: ``SignInError``.
    func code(in parameters: FormPairs, at now: Date) throws -> String {
        if isExpired(at: now) { throw SignInError(.expired) }
        return try code(in: parameters)
    }

    /// The same, whenever the answer came.
    func code(in parameters: FormPairs) throws -> String {
        // RFC 9207 §2.4: also in error responses, and before anything else is believed.
        try checkIssuer(of: parameters)
        switch (parameters["code"], parameters["error"]) {
        case (.text(let code), .absent): return code
        case (.absent, .text(let error)):
            throw SignInError(
                error == "access_denied" ? .denied : .refused, code: error,
                serverDescription: Self.serverDescription(in: parameters))
        default: throw SignInError(.malformed)
        }
    }

    private static func serverDescription(in parameters: FormPairs) -> String? {
        parameters["error_description"].text.map { TerminalText.clean($0) }
    }

    private func checkIssuer(of parameters: FormPairs) throws {
        switch parameters["iss"] {
        case .text(let named):
            // A server that has no name here cannot be told from another by it.
            guard let issuer else { return }
            guard issuer.unicodeScalars.elementsEqual(named.unicodeScalars) else { throw SignInError(.otherIssuer) }
        case .absent:
            guard announcesIssuer else { return }
            // Who said it is not known, and what was said helps to find out.
            throw SignInError(
                .otherIssuer, code: parameters["error"].text,
                serverDescription: Self.serverDescription(in: parameters),
                detail: "issuer missing: the server names itself in its answers, and this one has no iss")
        case .unusable: throw SignInError(.otherIssuer)
        }
    }
}
