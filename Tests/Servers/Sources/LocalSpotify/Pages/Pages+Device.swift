// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension Pages {
    /// Asks for the code that a device shows.
    static func deviceCode(problem: String?) -> HTML {
        """
        <h1>Connect a device</h1>
        \(problem.map { "<p id=\"problem\">\($0)</p>" as HTML } ?? "<p>Type the code that your device shows.</p>")
        <form method="get" action="/device">
        <label for="user_code">Code</label>
        <input type="text" id="user_code" name="user_code" maxlength="12" autocomplete="off" autofocus required>
        <div class="buttons"><button id="continue" class="go">Continue</button></div>
        </form>
        """
    }

    /// Asks the user to allow the device. The page shows the code even if the user did not type it (RFC 8628 §3.3.1).
    static func device(
        _ question: DeviceCodes.Question, of client: LocalSpotify.Client, user: String, ticket: String
    ) -> HTML {
        """
        <h1>\(client.name) wants to use your account on a device</h1>
        <p>The device must show this code:</p>
        <p id="code" class="code">\(question.userCode)</p>
        \(wishes(question.scopes))
        <p class="soft">You are signed in as \(user). Go on only if you started this yourself, on a device in front of
        you. Someone else may have sent you this address.</p>
        \(decision(at: "/device", ticket: ticket))
        """
    }

    static func deviceEnd(isAllowed: Bool) -> HTML {
        """
        <h1>\(isAllowed ? "Your device is connected" : "The device got no access")</h1>
        <p id="end">You can close this window.</p>
        """
    }
}
