// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension PendingSignIn {
    /// Whether a callback belongs to this sign-in: it has the redirect URI and the `state`.
    ///
    /// Any other callback is foreign and leaves the sign-in as it is. Whether the callback brings a code or an error is
    /// checked by ``OAuthTokenService/finish(callback:)``.
    public func accepts(_ callback: URL) -> Bool { parameters(of: callback) != nil }

    /// The parameters of a callback of this sign-in; `nil` for a foreign callback.
    func parameters(of callback: URL) -> FormPairs? {
        guard let uri = try? RedirectURI(redirectURI), let parameters = uri.parameters(of: callback.absoluteString),
            case .text(let state) = parameters["state"], ConstantTime.areEqual(state, self.state)
        else { return nil }
        return parameters
    }

    /// Reads the code of a callback.
    ///
    /// - Parameters:
    ///   - parameters: from ``parameters(of:)``, so with the right state.
    ///   - now: the current time.
    /// - Throws: ``SignInError``.
    func code(in parameters: FormPairs, at now: Date) throws -> String {
        if isExpired(at: now) { throw SignInError(.expired) }
        return try code(in: parameters)
    }

    /// Reads the code of a callback, without a check of its time.
    func code(in parameters: FormPairs) throws -> String {
        // RFC 9207 §2.4: checked before all other parameters, also in error responses.
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
            // The server's issuer is not known, so there is nothing to compare.
            guard let issuer else { return }
            guard issuer.unicodeScalars.elementsEqual(named.unicodeScalars) else { throw SignInError(.otherIssuer) }
        case .absent:
            guard announcesIssuer else { return }
            // The sender is unknown. Its error code and description help to find the cause.
            throw SignInError(
                .otherIssuer, code: parameters["error"].text,
                serverDescription: Self.serverDescription(in: parameters),
                detail: "issuer missing: the server's callbacks must contain iss, and this one does not; sign in again")
        case .unusable: throw SignInError(.otherIssuer)
        }
    }
}
