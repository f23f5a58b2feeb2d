// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension Page {
    /// The user pressed "Cancel" on Spotify's page.
    static func denied(returnTo: ReturnPath) -> Page {
        trouble(
            "You did not allow it", "Spotify was told not to share anything, so nothing is shown here.", status: 403,
            action: "<a class=\"button\" id=\"log-in\" href=\"\(returnTo.logInPath)\">Try again</a>")
    }

    /// A callback for a log-in that this browser has not begun, or that is finished already.
    static let foreignCallback = trouble(
        "This log-in was not begun here",
        "It was begun in another browser, has been finished, or took too long. Nothing was changed.", status: 400,
        action: backHome)

    /// The log-in failed, and the user did not cause that.
    static func logInFailed(returnTo: ReturnPath) -> Page {
        trouble(
            "The log-in failed", "Spotify did not confirm it. Nothing was saved.", status: 502,
            action: "<a class=\"button\" id=\"log-in\" href=\"\(returnTo.logInPath)\">Log in again</a>")
    }

    /// Spotify does not answer at present. The session continues.
    static let unavailable = trouble(
        "Spotify cannot be reached", "You are still logged in. Load the page again in a moment.", status: 502,
        action: backHome)

    /// Spotify answers 403, for instance because an app in development mode has only the users that its owner named.
    static let refused = trouble(
        "Spotify does not let this site see your account",
        "The owner of this site must add you to the users of its app, in Spotify's dashboard.", status: 403,
        action: backHome)

    static let forgedForm = trouble(
        "This form is not of this session", "Load the page again, and send the form from there.", status: 403,
        action: backHome)

    static let wrongHost = trouble(
        "Not this site", "Open the site by the address that it was started with.", status: 421, action: "")

    /// For any other error: only the status, without the reason.
    static func status(_ code: Int, _ phrase: String) -> Page {
        trouble(phrase, "The request ended with status \(code).", status: code, action: backHome)
    }

    // MARK: -

    private static let backHome: HTML = "<a id=\"home\" href=\"/\">To the first page</a>"

    private static func trouble(_ title: String, _ text: String, status: Int, action: HTML) -> Page {
        Page(
            title: title,
            body: """
                <h1>\(title)</h1>
                <p>\(text)</p>
                <p>\(action)</p>
                """,
            status: status)
    }
}
