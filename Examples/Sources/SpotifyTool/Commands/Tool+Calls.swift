// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import SpotifyWebAPI

extension Tool {
    /// `spotify me`: who is signed in.
    public func me() async throws { try await run { try output.show(ProfileReport(await webAPI.currentUser())) } }

    /// `spotify search`.
    public func search(_ text: String, for kinds: Set<SearchKind>, limit: Int) async throws {
        try await run { try output.show(SearchReport(await webAPI.search(text, for: kinds, limit: limit))) }
    }

    /// `spotify playlists`: the first of the user's, by pages as they are needed.
    public func playlists(limit: Int) async throws {
        try await run {
            let playlists = try await webAPI.playlists().prefix(limit).reduce(into: []) { $0.append($1) }
            try output.show(PlaylistsReport(playlists))
        }
    }

    /// `spotify now`: what is playing.
    public func now() async throws { try await run { try output.show(NowReport(await webAPI.playbackState())) } }

    /// `spotify play`: something, or what was paused.
    public func play(_ text: String?, on device: String?) async throws {
        try await run {
            let target = try text.map { try PlayTarget($0) }
            try await webAPI.play(target?.playback ?? .resumed, on: id(of: device))
            try output.show(DoneReport(done: "playing", sentence: "Playing \(target?.uri ?? "again")."))
        }
    }

    /// `spotify pause`.
    public func pause(on device: String?) async throws {
        try await run {
            try await webAPI.pause(on: id(of: device))
            try output.show(DoneReport(done: "paused", sentence: "Paused."))
        }
    }

    /// `spotify repeat`.
    public func setRepeat(_ mode: RepeatMode, on device: String?) async throws {
        try await run {
            try await webAPI.setRepeat(mode, on: id(of: device))
            try output.show(DoneReport(done: "repeat \(mode.rawValue)", sentence: "Repeat: \(mode.rawValue)."))
        }
    }

    /// `spotify shuffle`.
    public func setShuffle(_ isOn: Bool, on device: String?) async throws {
        try await run {
            try await webAPI.setShuffle(isOn, on: id(of: device))
            let state = isOn ? "on" : "off"
            try output.show(DoneReport(done: "shuffle \(state)", sentence: "Shuffle: \(state)."))
        }
    }

    // MARK: -

    /// Returns the id of a device that is given by its name or its id.
    private func id(of named: String?) async throws -> String? {
        guard let named else { return nil }
        return try Self.id(of: named, among: await webAPI.devices())
    }

    /// - Throws: ``ToolFailure`` with the names of the devices. A device without an id cannot be controlled.
    static func id(of named: String, among devices: [Device]) throws -> String {
        let addressable = devices.compactMap { device in device.id.map { (id: $0, name: device.name) } }
        if let device = addressable.first(where: { $0.id == named || $0.name.lowercased() == named.lowercased() }) {
            return device.id
        }
        let names = addressable.map(\.name).joined(separator: ", ")
        throw ToolFailure(
            .refused, "no device is called '\(named)'",
            advice: names.isEmpty ? "Open Spotify on a device." : "The devices are: \(names).")
    }
}
