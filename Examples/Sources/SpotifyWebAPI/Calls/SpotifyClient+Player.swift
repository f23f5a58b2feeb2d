// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The player needs Spotify Premium. Without an active device its error is ``PlayerErrorReason/noActiveDevice``.
extension SpotifyClient {
    /// What is playing; `nil` if no device is active.
    public func playbackState() async throws -> PlaybackState? {
        try await answerIfAny(
            to: WebAPICall(path: "/v1/me/player", query: Self.itemTypes, scopes: .all([.userReadPlaybackState])))
    }

    /// What is playing, without the device; `nil` if nothing is playing.
    public func currentlyPlaying() async throws -> PlaybackState? {
        try await answerIfAny(
            to: WebAPICall(
                path: "/v1/me/player/currently-playing", query: Self.itemTypes,
                scopes: .all([.userReadCurrentlyPlaying])))
    }

    /// The user's devices that are on.
    public func devices() async throws -> [Device] {
        struct Devices: Decodable { let devices: [Device] }
        let call = WebAPICall(path: "/v1/me/player/devices", scopes: .all([.userReadPlaybackState]))
        return try await answer(to: call, as: Devices.self).devices
    }

    /// Plays something, or resumes what was paused.
    ///
    /// - Parameters:
    ///   - playback: what to play.
    ///   - position: the position in the first item.
    ///   - device: the id of a device; by default the active one.
    public func play(
        _ playback: Playback = .resumed, at position: Duration? = nil, on device: String? = nil
    ) async throws {
        try await perform(try command("PUT", "play", on: device).json(PlayBody(playback, at: position)))
    }

    public func pause(on device: String? = nil) async throws { try await perform(command("PUT", "pause", on: device)) }

    public func skipToNext(on device: String? = nil) async throws {
        try await perform(command("POST", "next", on: device))
    }

    public func skipToPrevious(on device: String? = nil) async throws {
        try await perform(command("POST", "previous", on: device))
    }

    /// Seeks in the current item.
    public func seek(to position: Duration, on device: String? = nil) async throws {
        try await perform(command("PUT", "seek", [("position_ms", String(position.milliseconds))], on: device))
    }

    /// - Parameter percent: from 0 to 100. Other values are limited to this range.
    public func setVolume(_ percent: Int, on device: String? = nil) async throws {
        let percent = min(max(percent, 0), 100)
        try await perform(command("PUT", "volume", [("volume_percent", String(percent))], on: device))
    }

    /// Sets what is repeated: the track, its context or nothing.
    ///
    /// - Parameters:
    ///   - mode: what to repeat.
    ///   - device: the id of a device; by default the active one.
    public func setRepeat(_ mode: RepeatMode, on device: String? = nil) async throws {
        try await perform(command("PUT", "repeat", [("state", mode.rawValue)], on: device))
    }

    /// Plays the context in random order, or in its own order again.
    public func setShuffle(_ isOn: Bool, on device: String? = nil) async throws {
        try await perform(command("PUT", "shuffle", [("state", String(isOn))], on: device))
    }

    /// Continues playback on another device.
    ///
    /// - Parameters:
    ///   - device: an id from ``devices()``.
    ///   - play: `true` starts playback in any case; `false` keeps the state, playing or paused.
    public func transferPlayback(to device: String, play: Bool = false) async throws {
        let call = WebAPICall(method: "PUT", path: "/v1/me/player", scopes: .all([.userModifyPlaybackState]))
        try await perform(try call.json(TransferBody(deviceIds: [device], play: play)))
    }

    /// The queue.
    public func queue() async throws -> PlayQueue {
        let scopes = ScopeRequirement.all([.userReadPlaybackState, .userReadCurrentlyPlaying])
        return try await answer(to: WebAPICall(path: "/v1/me/player/queue", scopes: scopes))
    }

    /// Plays a track or an episode after what is playing.
    public func addToQueue(_ uri: String, on device: String? = nil) async throws {
        try await perform(command("POST", "queue", [("uri", uri)], on: device))
    }

    // MARK: -

    /// Asks for episodes too. Without it an episode that is playing has no item.
    private static var itemTypes: [(name: String, value: String)] { [("additional_types", "track,episode")] }

    private func command(
        _ method: String, _ name: String, _ query: [(name: String, value: String)] = [], on device: String?
    ) -> WebAPICall {
        WebAPICall(
            method: method, path: "/v1/me/player/\(name)", query: query + (device.map { [("device_id", $0)] } ?? []),
            scopes: .all([.userModifyPlaybackState]))
    }
}

private struct PlayBody: Encodable {
    struct Offset: Encodable {
        var position: Int?
        var uri: String?
    }

    let contextUri: String?
    let uris: [String]?
    let offset: Offset?
    let positionMs: Int?

    init(_ playback: Playback, at position: Duration?) {
        contextUri = playback.contextURI
        uris = playback.uris
        offset = playback.offset.map {
            switch $0 {
            case .position(let position): Offset(position: position)
            case .uri(let uri): Offset(uri: uri)
            }
        }
        positionMs = position?.milliseconds
    }
}

private struct TransferBody: Encodable {
    let deviceIds: [String]
    let play: Bool
}

extension Duration {
    fileprivate var milliseconds: Int { Int(self / .milliseconds(1)) }
}
