// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Testing

@testable import SpotifyWeb

@Suite struct PageTests {
    private let evil = "\"><script>alert(1)</script>"

    @Test func `a user's data from Spotify is escaped`() throws {
        let profile = ProfileSummary(name: evil, id: evil, link: nil)
        let playing = PlayingSummary(track: evil, artists: [evil, evil], isPlaying: true, link: nil)
        var generator = SystemRandomNumberGenerator()
        let document = Page.profile(profile, playing: playing, formToken: SessionSecret(using: &generator)).document
            .markup
        #expect(!document.contains("<script>"))
        #expect(document.contains("<dd id=\"user\"><bdi>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;</bdi></dd>"))
    }

    @Test func `no page has a script, an inline style or a URL of another site`() {
        var generator = SystemRandomNumberGenerator()
        let token = SessionSecret(using: &generator)
        let pages: [Page] =
            [
                .home(formToken: token), .nowPlaying(nil, formToken: token), .denied(returnTo: .home), .foreignCallback,
                .logInFailed(returnTo: .profile), .unavailable, .forgedForm, .wrongHost, .status(404, "Not Found"),
                .profile(ProfileSummary(name: "A", id: "a", link: nil), playing: nil, formToken: token),
            ] + Notice.allCases.map { .welcome(notice: $0) }
        for page in pages {
            let document = page.document.markup
            #expect(document.hasPrefix("<!DOCTYPE html>"))
            for forbidden in ["<script", "style=", "<style", "onclick", "http://", "https://"] {
                #expect(!document.contains(forbidden), "\(page.title): \(forbidden)")
            }
        }
    }

    @Test func `logging out uses a form with the session's token`() {
        var generator = SystemRandomNumberGenerator()
        let token = SessionSecret(using: &generator)
        let markup = Page.home(formToken: token).body.markup
        #expect(markup.contains("<form method=\"post\" action=\"/logout\">"))
        #expect(markup.contains("name=\"csrf\" value=\"\(token.text)\""))
    }

    @Test func `a paused track is shown as paused, and no track as nothing`() {
        var generator = SystemRandomNumberGenerator()
        let token = SessionSecret(using: &generator)
        let paused = PlayingSummary(track: "T", artists: ["A", "B"], isPlaying: false, link: nil)
        let markup = Page.nowPlaying(paused, formToken: token).body.markup
        #expect(markup.contains("<dt>Paused</dt>"))
        #expect(markup.contains("<bdi>A, B</bdi>"))
        #expect(Page.nowPlaying(nil, formToken: token).body.markup.contains("Nothing is playing."))
    }
}
