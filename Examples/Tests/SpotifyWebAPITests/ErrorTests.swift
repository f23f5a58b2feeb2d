// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import SpotifyWebAPI

@Suite struct `The errors of the Web API` {
    private func error(_ status: Int, _ body: String, retryAfter: Duration? = nil) -> SpotifyError {
        SpotifyError(status: status, body: Data(body.utf8), retryAfter: retryAfter)
    }

    @Test func `the regular error object`() {
        let error = error(404, #"{"error": {"status": 404, "message": "Resource not found"}}"#)
        #expect(error.form == .regular && error.status == 404 && error.message == "Resource not found")
        #expect(error.reason == nil && error.code == nil)
        #expect("\(error)" == "Spotify answered 404 (Resource not found)")
    }

    @Test func `the player's error object has a reason, and the text has advice`() {
        let error = error(
            404,
            #"{"error": {"status": 404, "message": "Player command failed: No active device found", "reason": "NO_ACTIVE_DEVICE"}}"#
        )
        #expect(error.form == .player && error.reason == .noActiveDevice)
        #expect("\(error)".hasSuffix("open Spotify on a device, or name one"))
    }

    @Test func `an unknown reason is kept`() {
        let error = error(403, #"{"error": {"status": 403, "message": "", "reason": "ON_THE_MOON"}}"#)
        #expect(error.reason == PlayerErrorReason(rawValue: "ON_THE_MOON"))
        #expect("\(error)".hasPrefix("Spotify answered 403 (ON_THE_MOON)"))
    }

    @Test func `the authentication error object`() {
        let error = error(400, #"{"error": "invalid_client", "error_description": "Invalid client secret"}"#)
        #expect(error.form == .authentication && error.code == "invalid_client")
        #expect(error.message == "Invalid client secret")
        #expect("\(error)" == "Spotify answered 400 (invalid_client, Invalid client secret)")
    }

    @Test(arguments: ["", "<html>Bad gateway</html>", "[]", #"{"error": 7}"#, #"{"error": {"#])
    func `any other answer is an error without a message`(body: String) {
        let error = error(502, body)
        #expect(error.form == .unknown && error.message == "")
        #expect("\(error)" == "Spotify answered 502: try again later")
    }

    @Test func `no character of a message can control a terminal`() {
        let error = error(
            400, #"{"error": {"status": 400, "message": "a\u001b[2J\u202eb\n\#(String(repeating: "c", count: 500))"}}"#)
        #expect(error.message.hasPrefix("a[2Jbccc"))
        #expect(error.message.unicodeScalars.count <= 200)
        #expect(!"\(error)".unicodeScalars.contains("\u{1B}"))
    }
}
