// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The site's one style sheet, served as a file.
enum StyleSheet {
    static let text = """
        :root { color-scheme: light dark; --green: #1db954; }
        body { font: 1.05rem/1.5 system-ui, sans-serif; margin: 0; }
        main { max-width: 38rem; margin: 4rem auto; padding: 0 1.5rem; }
        h1 { font-size: 1.8rem; line-height: 1.2; }
        nav a { margin-right: 1rem; }
        dt { opacity: .7; font-size: .9rem; }
        dd { margin: 0 0 1rem; font-size: 1.15rem; overflow-wrap: anywhere; }
        .notice { border-left: .25rem solid var(--green); padding: .25rem 1rem; }
        .button, button { background: var(--green); border: 0; border-radius: 2rem; color: #000; cursor: pointer;
            display: inline-block; font: inherit; padding: .6rem 1.4rem; text-decoration: none; }
        form { margin-top: 2rem; }

        """
}
