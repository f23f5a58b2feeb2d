// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The notices of the welcome page. The address names one of these, and cannot contain a text of its own.
enum Notice: String, CaseIterable, Hashable, Sendable {
    case loggedOut = "logged-out"
    case sessionEnded = "session-ended"
    case logInFirst = "log-in-first"

    /// The query parameter's name.
    static let parameter = "notice"

    var text: String {
        switch self {
        case .loggedOut: "You are logged out."
        case .sessionEnded: "Your session has ended. Log in again to go on."
        case .logInFirst: "Log in to see this page."
        }
    }
}

extension Page {
    /// For a user who is not logged in.
    static func welcome(notice: Notice? = nil, returnTo: ReturnPath = .profile) -> Page {
        let said: HTML = notice.map { "<p class=\"notice\" id=\"notice\">\($0.text)</p>" } ?? ""
        return Page(
            title: "What is playing?",
            body: """
                <h1>What is playing?</h1>
                \(said)
                <p>See your Spotify profile and what you are listening to.</p>
                <p><a class="button" id="log-in" href="\(returnTo.logInPath)">Log in with Spotify</a></p>
                """)
    }

    /// For a user who is logged in.
    static func home(formToken: SessionSecret) -> Page {
        Page(
            title: "What is playing?",
            body: """
                <h1>What is playing?</h1>
                <p>You are logged in.</p>
                \(navigation)
                \(logOutForm(formToken))
                """)
    }

    static let navigation: HTML = """
        <nav><a id="profile-link" href="/me">Profile</a> <a id="now-link" href="/now">Now playing</a></nav>
        """

    /// A log-out changes state, so it is a POST with the form token of the session.
    static func logOutForm(_ formToken: SessionSecret) -> HTML {
        """
        <form method="post" action="/logout">
        <input type="hidden" name="csrf" value="\(formToken.text)">
        <button id="log-out">Log out</button>
        </form>
        """
    }
}
