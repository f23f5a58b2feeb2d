// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if LoopbackReceiver

/// What the browser gets. Every page is a constant: nothing that came in is part of it.
struct LoopbackAnswer: Sendable {
    let status: Int
    private let title: String
    private let text: String
    /// The callback that ends the wait, if the request was it.
    let callback: URL?

    /// - Parameter hasCode: whether the callback brings a code; else it is a denial, an error, or nothing that can be used.
    static func accepted(_ callback: URL, hasCode: Bool) -> LoopbackAnswer {
        hasCode
            ? LoopbackAnswer(
                status: 200, title: "Sign-in received", text: "The app goes on now. You can close this window.",
                callback: callback)
            : LoopbackAnswer(
                status: 200, title: "Not signed in", text: "Access was not granted. You can close this window.",
                callback: callback)
    }

    static func refused(_ status: Int) -> LoopbackAnswer {
        let text =
            switch status {
            case 404: "There is nothing here."
            case 405: "This address can only be opened."
            case 431: "The request is too long. Clear the cookies of this address and sign in again."
            default: "This is not what the app waits for. Sign in again from the app."
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
            // Nothing is loaded, run, sent or framed.
            (
                "Content-Security-Policy",
                "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            ),
            // The address of this page holds the code (RFC 9700 §4.2.4).
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
            ("Connection", "close"),
        ]
        if status == 405 { fields.append(("Allow", "GET")) }
        return fields
    }
}
#endif
