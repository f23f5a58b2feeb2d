// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A page of the site, with its status.
struct Page: Hashable, Sendable {
    let title: String
    let body: HTML
    var status = 200

    /// The whole document. It has no script, and the style sheet is a file of the site. So the content security policy
    /// can forbid everything inline.
    var document: HTML {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(title)</title>
        <link rel="stylesheet" href="/style.css">
        </head>
        <body>
        <main>
        \(body)
        </main>
        </body>
        </html>

        """
    }
}
