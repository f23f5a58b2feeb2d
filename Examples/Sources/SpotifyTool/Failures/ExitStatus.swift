// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The exit codes of the tool, those of sysexits.h where it has one.
public struct ExitStatus: Hashable, Sendable, CaseIterable {
    public let code: Int32
    /// The text of the help.
    public let meaning: String

    private init(_ code: Int32, _ meaning: String) { (self.code, self.meaning) = (code, meaning) }

    public static let success = ExitStatus(0, "it is done")
    public static let refused = ExitStatus(1, "Spotify refused it, for instance because nothing is playing")
    public static let usage = ExitStatus(64, "the command line is wrong")
    public static let unusableAnswer = ExitStatus(65, "the server's answer is not valid")
    public static let unavailable = ExitStatus(69, "Spotify, or the local one, cannot be reached")
    public static let store = ExitStatus(74, "the token cannot be read or saved, or the result cannot be written")
    public static let tryLater = ExitStatus(75, "try again later: Spotify is busy")
    public static let notSignedIn = ExitStatus(
        77, "the account is not signed in, the sign-in was denied, or a scope is missing")
    public static let configuration = ExitStatus(78, "CLIENT_ID, CLIENT_SECRET or SPOTIFY_LOCAL is missing or wrong")

    public static let allCases: [ExitStatus] = [
        .success, .refused, .usage, .unusableAnswer, .unavailable, .store, .tryLater, .notSignedIn, .configuration,
    ]
}
