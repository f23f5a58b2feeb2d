// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The player. The effect of a command is visible in the next answers.
extension WebAPI {
    /// The answer to a query of the player.
    func playback(at now: Date, withDevice: Bool) throws -> Answer {
        guard let device = player.activeDevice else { return Answer(status: 204) }
        return try .json(200, PlaybackState(player, withDevice ? device : nil, at: now))
    }

    func queue() throws -> Answer {
        try .json(
            200, QueueState(currentlyPlaying: player.activeDevice == nil ? nil : player.current, queue: player.upcoming)
        )
    }

    /// Runs a command on the device that it names, or on the active one.
    mutating func command(_ route: Route, _ call: Call, at now: Date) throws -> Answer {
        let id = call.query["device_id"]
        if let id, !player.devices.contains(where: { $0.id == id }) { throw WebAPIError(404, "Device not found") }
        guard let device = id ?? player.activeDevice?.id else {
            throw WebAPIError(404, "Player command failed: No active device found", reason: "NO_ACTIVE_DEVICE")
        }
        switch route {
        case .play: try play(call, at: now)
        case .pause: player.pause(at: now)
        case .next: player.skipToNext(at: now)
        case .previous: player.skipToPrevious(at: now)
        case .seek: player.seek(to: try number("position_ms", in: call), at: now)
        case .volume:
            let percent = try number("volume_percent", in: call)
            guard percent <= 100 else { throw WebAPIError(400, "Invalid volume_percent") }
            player.setVolume(percent, of: device)
            return Answer(status: 204)
        case .repeatMode:
            guard let mode = Player.RepeatMode(rawValue: call.query["state"] ?? "") else {
                throw WebAPIError(400, "Invalid state")
            }
            player.repeatMode = mode
        case .shuffle:
            guard let isOn = Bool(call.query["state"] ?? "") else { throw WebAPIError(400, "Invalid state") }
            player.setShuffle(isOn)
        case .enqueue:
            guard let track = catalogue.track(uri: call.query["uri"] ?? "") else {
                throw WebAPIError(404, "Invalid uri")
            }
            player.enqueue(track)
            return Answer(status: 204)
        default: break
        }
        player.activate(device)
        return Answer(status: 204)
    }

    /// `PUT /v1/me/player`: plays on another device.
    mutating func transfer(_ call: Call, at now: Date) throws -> Answer {
        struct Body: Decodable {
            let deviceIds: [String]
            let play: Bool?
        }
        let body: Body = try decode(call)
        guard body.deviceIds.count == 1 else { throw WebAPIError(400, "Invalid device_ids") }
        guard let id = body.deviceIds.first, player.devices.contains(where: { $0.id == id }) else {
            throw WebAPIError(404, "Device not found")
        }
        player.activate(id)
        if body.play == true { player.resume(at: now) }
        return Answer(status: 204)
    }

    // MARK: -

    private struct PlayBody: Decodable {
        struct Offset: Decodable {
            let position: Int?
            let uri: String?
        }
        var contextUri: String?
        var uris: [String]?
        var offset: Offset?
        var positionMs: Int?
    }

    private mutating func play(_ call: Call, at now: Date) throws {
        let body: PlayBody = call.body.isEmpty ? PlayBody() : try decode(call)
        guard body.contextUri == nil || body.uris == nil else {
            throw WebAPIError(400, "Can't have offset for both context_uri and uris")
        }
        let list: [Track]
        if let context = body.contextUri {
            list = try tracks(of: context)
        } else if let uris = body.uris {
            list = uris.compactMap { catalogue.track(uri: $0) }
            guard list.count == uris.count else { throw WebAPIError(400, "Invalid track uri") }
        } else {
            return player.resume(position: body.positionMs, at: now)
        }
        let index = body.offset?.position ?? body.offset?.uri.flatMap { uri in list.firstIndex { $0.uri == uri } }
        guard let index = body.offset == nil ? 0 : index, list.indices.contains(index) else {
            throw WebAPIError(400, "Invalid offset")
        }
        player.play(list, context: body.contextUri, index: index, position: body.positionMs ?? 0, at: now)
    }

    private func tracks(of context: String) throws -> [Track] {
        let id = String(context.split(separator: ":").last ?? "")
        let tracks =
            if context.hasPrefix("spotify:playlist:") {
                playlists.first { $0.id == id }?.items.map(\.track) ?? []
            } else {
                catalogue.tracks.filter { $0.album?.uri == context || $0.artists.contains { $0.uri == context } }
            }
        guard !tracks.isEmpty else { throw WebAPIError(404, "Resource not found") }
        return tracks
    }

    private func number(_ name: String, in call: Call) throws -> Int {
        guard let number = Int(call.query[name] ?? ""), number >= 0 else { throw WebAPIError(400, "Invalid \(name)") }
        return number
    }
}

private struct QueueState: Encodable {
    let currentlyPlaying: Track?
    let queue: [Track]
}
