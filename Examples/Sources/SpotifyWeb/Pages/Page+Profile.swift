// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension Page {
    /// The profile of the user, and what the user is listening to.
    static func profile(_ profile: ProfileSummary, playing: PlayingSummary?, formToken: SessionSecret) -> Page {
        Page(
            title: "Your profile",
            body: """
                <h1>\(WebLink.html(profile.name, to: profile.link))</h1>
                \(navigation)
                <dl>
                <dt>Spotify user</dt><dd id="user"><bdi>\(profile.id)</bdi></dd>
                </dl>
                <h2>Now playing</h2>
                \(HTML.playing(playing))
                \(logOutForm(formToken))
                """)
    }

    /// What the user is listening to.
    static func nowPlaying(_ playing: PlayingSummary?, formToken: SessionSecret) -> Page {
        Page(
            title: "Now playing",
            body: """
                <h1>Now playing</h1>
                \(navigation)
                \(HTML.playing(playing))
                \(logOutForm(formToken))
                """)
    }
}

extension HTML {
    fileprivate static func playing(_ playing: PlayingSummary?) -> HTML {
        guard let playing else { return "<p id=\"playing\">Nothing is playing.</p>" }
        return """
            <dl id="playing">
            <dt>\(playing.isPlaying ? "Playing" : "Paused")</dt><dd id="track">\(WebLink.html(playing.track, to: playing.link))</dd>
            <dt>By</dt><dd id="artists"><bdi>\(playing.artists.joined(separator: ", "))</bdi></dd>
            </dl>
            """
    }
}
