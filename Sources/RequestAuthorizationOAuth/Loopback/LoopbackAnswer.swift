// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if LoopbackReceiver

/// The answer to the browser. Every page is a constant and contains no part of the request.
struct LoopbackAnswer: Sendable {
    let status: Int
    private let title: String
    private let text: String
    /// The callback, if the request was the callback of the sign-in.
    let callback: URL?

    /// - Parameter hasCode: whether the callback brings a code; if not, it is a denial, an error, or malformed.
    static func accepted(_ callback: URL, hasCode: Bool) -> LoopbackAnswer {
        let (title, text) =
            hasCode ? ("Sign-in received", "The app goes on now.") : ("Not signed in", "Access was not granted.")
        return LoopbackAnswer(status: 200, title: title, text: "\(text) You can close this window.", callback: callback)
    }

    static func refused(_ status: Int) -> LoopbackAnswer {
        let text =
            switch status {
            case 404: "There is nothing here."
            case 405: "This address can only be opened in a browser."
            case 431: "The request is too long. Clear the cookies of this address and sign in again."
            default: "This is not the answer that the app expects. Sign in again from the app."
            }
        return LoopbackAnswer(status: status, title: "Not accepted", text: text, callback: nil)
    }

    var body: String {
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(title)</title>
        <h1>\(title)</h1>
        <p>\(text)</p>
        </html>

        """
    }

    var fields: [(name: String, value: String)] {
        var fields = [
            ("Content-Type", "text/html; charset=utf-8"),
            ("Content-Length", "\(body.utf8.count)"),
            ("Cache-Control", "no-store"),
            // The page must not load, run or send anything, nor be framed.
            (
                "Content-Security-Policy",
                "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            ),
            // The page's URL contains the code (RFC 9700 §4.2.4).
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
            ("Connection", "close"),
        ]
        if status == 405 { fields.append(("Allow", "GET")) }
        return fields
    }
}
#endif
