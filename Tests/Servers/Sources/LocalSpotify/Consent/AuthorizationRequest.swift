// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A checked authorization request.
struct AuthorizationRequest: Hashable, Sendable {
    let client: LocalSpotify.Client
    let redirectURI: String
    let state: String?
    let scopes: Set<String>
    /// For S256; `nil` only for a client with a secret.
    let codeChallenge: String?
    let showsDialog: Bool

    /// Checks a request (RFC 6749 §4.1.1, RFC 7636 §4.3).
    ///
    /// - Parameter parameters: the parameters of the query.
    /// - Throws: ``AuthorizationRefusal``.
    init(_ parameters: Parameters, clients: [String: LocalSpotify.Client]) throws(AuthorizationRefusal) {
        // RFC 6749 §4.1.2.1: the server must not redirect before it has verified the client and the redirect URI.
        guard let id = parameters.single("client_id"), let client = clients[id] else {
            throw .page("The app that sent you here is not known.")
        }
        guard let redirectURI = parameters.single("redirect_uri"),
            client.redirectURIs.contains(where: { RedirectURI.isAllowed(redirectURI, by: $0) })
        else { throw .page("The app that sent you here named an address that is not registered.") }
        self.client = client
        self.redirectURI = redirectURI
        state = parameters.single("state")
        let scopes = Scope.parse(parameters["scope"])
        self.scopes = scopes ?? []
        codeChallenge = parameters.single("code_challenge")
        showsDialog = parameters["show_dialog"] == "true"
        if let refusal = problem(in: parameters, scopesAreKnown: scopes != nil) {
            throw .redirect(callback(["error": refusal.error, "error_description": refusal.description]))
        }
    }

    /// The redirect for this request, with its `state`.
    func callback(_ parameters: KeyValuePairs<String, String>) -> Callback {
        Callback(redirectURI: redirectURI, parameters: parameters.map { ($0, $1) }, state: state)
    }

    // MARK: -

    private func problem(in parameters: Parameters, scopesAreKnown: Bool) -> Refusal? {
        // RFC 6749 §3.1: a parameter must not be repeated.
        if parameters.hasRepetition { return Refusal("invalid_request", "A parameter was sent more than once") }
        if parameters["response_type"] == nil { return Refusal("invalid_request", "response_type must be supplied") }
        if parameters["response_type"] != "code" {
            return Refusal("unsupported_response_type", "response_type must be code")
        }
        if let refusal = problemWithChallenge(in: parameters) { return refusal }
        if !scopesAreKnown { return Refusal("invalid_scope", "Illegal scope") }
        return nil
    }

    private func problemWithChallenge(in parameters: Parameters) -> Refusal? {
        guard let codeChallenge else {
            // RFC 9700 §2.1.1; RFC 8252 §6.
            return client.isPublic ? Refusal("invalid_request", "code_challenge must be supplied") : nil
        }
        // RFC 7636 §4.3: the default is `plain`; RFC 9700 §2.1.1: S256 only.
        guard parameters["code_challenge_method"] == "S256" else {
            return Refusal("invalid_request", "code_challenge_method must be S256")
        }
        return CodeChallenge.isWellFormed(codeChallenge)
            ? nil : Refusal("invalid_request", "code_challenge must be a SHA-256 in base64url")
    }
}
