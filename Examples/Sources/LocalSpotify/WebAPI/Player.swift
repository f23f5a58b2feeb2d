// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// What plays, where, and what comes next. It goes on by itself as time goes on.
struct Player: Sendable {
    struct Device: Hashable, Encodable, Sendable {
        let id: String
        let name: String
        let type: String
        var isActive: Bool
        let isPrivateSession = false
        let isRestricted = false
        var volumePercent: Int
        let supportsVolume = true
    }

    var devices = [
        Device(id: "5eLocalSpeaker", name: "Local speaker", type: "Speaker", isActive: true, volumePercent: 60),
        Device(id: "5eLocalPhone", name: "Local phone", type: "Smartphone", isActive: false, volumePercent: 35),
    ]
    /// The URI of an album, an artist or a playlist.
    private(set) var context: String?
    private(set) var isPlaying = true
    /// What somebody put before the rest.
    private(set) var queue: [Track] = []
    private(set) var current: Track
    private var list: [Track]
    private var index = 0
    /// How far into the track at `since`, in milliseconds.
    private var progress = 0
    /// `nil` until somebody looks.
    private var since: Date?

    init(_ list: [Track], first: Track) {
        self.list = list
        current = first
        index = list.firstIndex { $0.uri == first.uri } ?? 0
    }

    var activeDevice: Device? { devices.first(where: \.isActive) }

    /// What comes after the current track: the queue, then the rest of the list.
    var upcoming: [Track] { queue + list.dropFirst(index + 1) }

    /// In milliseconds.
    func progress(at now: Date) -> Int {
        guard isPlaying, let since else { return progress }
        return progress + Int(now.timeIntervalSince(since) * 1000)
    }

    /// Goes on to where the music is by now.
    mutating func settle(at now: Date) {
        var position = progress(at: now)
        while position >= current.durationMs {
            position -= current.durationMs
            advance()
        }
        mark(position, at: now)
    }

    mutating func play(_ list: [Track], context: String?, index: Int, position: Int, at now: Date) {
        (self.list, self.context, self.index) = (list, context, index)
        current = list[index]
        resume(position: position, at: now)
    }

    mutating func resume(position: Int? = nil, at now: Date) {
        mark(position.map(within) ?? progress(at: now), at: now)
        isPlaying = true
    }

    mutating func pause(at now: Date) {
        mark(progress(at: now), at: now)
        isPlaying = false
    }

    mutating func skipToNext(at now: Date) {
        advance()
        resume(position: 0, at: now)
    }

    mutating func skipToPrevious(at now: Date) {
        index = max(0, index - 1)
        current = list[index]
        resume(position: 0, at: now)
    }

    mutating func seek(to position: Int, at now: Date) { mark(within(position), at: now) }

    mutating func enqueue(_ track: Track) { queue.append(track) }

    /// Makes another device play.
    ///
    /// - Parameter id: `nil` turns all off.
    mutating func activate(_ id: String?) {
        for position in devices.indices { devices[position].isActive = devices[position].id == id }
    }

    mutating func setVolume(_ percent: Int, of id: String) {
        guard let position = devices.firstIndex(where: { $0.id == id }) else { return }
        devices[position].volumePercent = percent
    }

    // MARK: -

    /// Not beyond the track's end: whoever asks for that would have it played through for ever.
    private func within(_ position: Int) -> Int { min(max(0, position), current.durationMs - 1) }

    private mutating func mark(_ position: Int, at now: Date) { (progress, since) = (position, now) }

    /// After the last track of the list comes the first.
    private mutating func advance() {
        if !queue.isEmpty {
            current = queue.removeFirst()
        } else {
            index = (index + 1) % list.count
            current = list[index]
        }
    }
}
