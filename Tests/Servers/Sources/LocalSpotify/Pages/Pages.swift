// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The pages for users.
enum Pages {
    /// Asks the user to allow an app.
    static func consent(to request: AuthorizationRequest, user: String, ticket: String) -> HTML {
        """
        <h1>\(request.client.name) wants to use your account</h1>
        \(wishes(request.scopes))
        <p class="soft">You are signed in as \(user). You will be sent to <b>\(request.redirectURI)</b>.</p>
        \(decision(at: "/authorize", ticket: ticket))
        """
    }

    /// Shows a problem of a request that must not be redirected.
    static func problem(_ text: String) -> HTML {
        """
        <h1>This did not work</h1>
        <p id="problem">\(text)</p>
        <p class="soft">No access was granted. Go back to the app and start again.</p>
        """
    }

    // MARK: -

    static func wishes(_ scopes: Set<String>) -> HTML {
        guard !scopes.isEmpty else { return "<p>It will see your public profile, and nothing else.</p>" }
        let items = Scope.descriptions(of: scopes).map { "<li>\($0)</li>\n" as HTML }
        return "<p>It will be able to:</p>\n<ul id=\"scopes\">\n\(HTML(items))</ul>"
    }

    /// A form with two buttons. Its ticket proves that the form is ours.
    static func decision(at action: String, ticket: String) -> HTML {
        """
        <form method="post" action="\(action)">
        <input type="hidden" name="ticket" value="\(ticket)">
        <div class="buttons">
        <button id="deny" name="decision" value="deny">Cancel</button>
        <button id="allow" class="go" name="decision" value="allow">Agree</button>
        </div>
        </form>
        """
    }
}
