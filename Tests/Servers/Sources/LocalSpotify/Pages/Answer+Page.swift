// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Crypto
import Foundation

extension Answer {
    /// RFC 6749 §5.1: answers with tokens or codes must not be cached.
    static let uncached = ["Cache-Control": "no-store", "Pragma": "no-cache"]

    /// A page that loads nothing from elsewhere.
    ///
    /// - Parameters:
    ///   - formTarget: where a form may redirect to in the end, beside this server: browsers apply `form-action` to
    ///     redirects too.
    static func page(
        _ status: Int = 200, title: String, _ content: HTML, formTarget: String? = nil, fields: [String: String] = [:]
    ) -> Answer {
        let frame: HTML = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title)</title>
            <style>\(style)</style>
            </head>
            <body>
            <main>
            <p class="brand">Local Spotify</p>
            \(content)
            </main>
            <footer>A stand-in on this machine. It is not Spotify and has no real users.</footer>
            </body>
            </html>

            """
        var all = uncached.merging(fields) { _, own in own }
        all["Content-Type"] = "text/html; charset=utf-8"
        all["Content-Security-Policy"] = policy(formTarget: formTarget)
        all["X-Frame-Options"] = "DENY"
        all["X-Content-Type-Options"] = "nosniff"
        // Not `no-referrer`: then a browser would send `Origin: null` with our own forms.
        all["Referrer-Policy"] = "same-origin"
        return Answer(status: status, fields: all, body: Data(frame.text.utf8))
    }

    /// Redirects a browser with GET, also after a POST (RFC 9700 §4.12: 303, never 307).
    static func redirect(to address: String, fields: [String: String] = [:]) -> Answer {
        var all = uncached.merging(fields) { _, own in own }
        all["Location"] = address
        all["Referrer-Policy"] = "no-referrer"
        return Answer(status: 303, fields: all)
    }

    // MARK: -

    private static func policy(formTarget: String?) -> String {
        let targets = (["'self'"] + (formTarget.map { [source(of: $0)] } ?? [])).joined(separator: " ")
        return "default-src 'none'; style-src 'sha256-\(styleHash)'; form-action \(targets); "
            + "frame-ancestors 'none'; base-uri 'none'"
    }

    /// The source expression for a URL: its origin, or its scheme if the grammar cannot express the host.
    private static func source(of address: String) -> String {
        let scheme = address.prefix { $0 != ":" }
        guard address.hasPrefix("http"), !address.contains("["),
            let end = address.dropFirst(scheme.count + 3).firstIndex(where: { "/?".contains($0) })
        else { return "\(scheme):" }
        return String(address[..<end])
    }

    private static let styleHash = Data(SHA256.hash(data: Data(style.text.utf8))).base64EncodedString()

    private static let style: HTML = """
        :root{color-scheme:light dark;--ink:#16181d;--soft:#5c626e;--paper:#fff;--ground:#eef1f4;--line:#dde1e7;--go:#157a43}
        @media(prefers-color-scheme:dark){:root{--ink:#f0f2f5;--soft:#a2a9b5;--paper:#1b1e24;--ground:#101216;--line:#323741;--go:#2fa866}}
        *{box-sizing:border-box}
        body{margin:0;min-height:100vh;display:flex;flex-direction:column;align-items:center;justify-content:center;
        padding:24px;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
        main{width:100%;max-width:440px;padding:36px;background:var(--paper);border:1px solid var(--line);border-radius:16px}
        h1{margin:0 0 12px;font-size:26px;line-height:1.25}
        ul{margin:16px 0 20px;padding:16px 16px 16px 36px;border:1px solid var(--line);border-radius:10px}
        .brand{margin:0 0 24px;color:var(--go);font-weight:700;letter-spacing:.02em}
        .soft,footer{color:var(--soft);font-size:14px}
        .code{font:700 30px/1.3 ui-monospace,monospace;letter-spacing:.12em}
        form{margin:24px 0 0}
        label{display:block;margin-bottom:6px;font-weight:600}
        input[type=text]{width:100%;margin-bottom:16px;padding:12px;font:20px ui-monospace,monospace;letter-spacing:.1em;
        text-transform:uppercase;color:inherit;background:none;border:1px solid var(--soft);border-radius:10px}
        .buttons{display:flex;gap:12px}
        button{flex:1;padding:13px 20px;font:600 16px/1.2 inherit;font-family:inherit;color:inherit;background:none;
        border:1px solid var(--soft);border-radius:999px;cursor:pointer}
        button.go{color:#fff;background:var(--go);border-color:var(--go)}
        @media(prefers-color-scheme:dark){button.go{color:#08130c}}
        button:focus-visible,input:focus-visible{outline:3px solid var(--ink);outline-offset:2px}
        footer{margin-top:20px}
        """
}
