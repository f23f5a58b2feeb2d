// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// What plays, on which device, and what follows. It advances with the time.
struct Player: Sendable {
    /// What follows the last track of the list, or any track.
    enum RepeatMode: String, Encodable, Sendable {
        case off, track, context
    }

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
    /// The tracks that the user has queued.
    private(set) var queue: [Track] = []
    private(set) var current: Track
    /// The tracks that were played for more than 30 seconds.
    private(set) var history: PlayHistory
    var repeatMode = RepeatMode.context
    private(set) var isShuffled = false
    /// The tracks in playing order.
    private var list: [Track]
    /// The tracks in their original order.
    private var unshuffled: [Track]
    private var index = 0
    /// The position in the track at `since`, in milliseconds.
    private var progress = 0
    /// `nil` before the first query.
    private var since: Date?

    init(_ list: [Track], first: Track, history: PlayHistory = PlayHistory()) {
        (self.list, unshuffled, self.history) = (list, list, history)
        current = first
        index = list.firstIndex { $0.uri == first.uri } ?? 0
    }

    var activeDevice: Device? { devices.first(where: \.isActive) }

    /// What follows the current track: the queue, then the rest of the list.
    var upcoming: [Track] { queue + list.dropFirst(index + 1) }

    /// In milliseconds.
    func progress(at now: Date) -> Int {
        guard isPlaying, let since else { return progress }
        return progress + Int((now.timeIntervalSince(since) * 1000).rounded())
    }

    /// Advances to the present position.
    mutating func settle(at now: Date) {
        var position = progress(at: now)
        while position >= current.durationMs {
            position -= current.durationMs
            history.add(current, from: context, position: current.durationMs, endedAt: now.milliseconds - position)
            if repeatMode == .off, upcoming.isEmpty {
                (isPlaying, position) = (false, 0)
            }
            if repeatMode != .track { advance() }
        }
        mark(position, at: now)
    }

    mutating func play(_ list: [Track], context: String?, index: Int, position: Int, at now: Date) {
        leave(at: now)
        (self.list, unshuffled, self.context, self.index) = (list, list, context, index)
        current = list[index]
        if isShuffled { shuffle(from: index) }
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
        leave(at: now)
        advance()
        resume(position: 0, at: now)
    }

    mutating func skipToPrevious(at now: Date) {
        leave(at: now)
        index = max(0, index - 1)
        current = list[index]
        resume(position: 0, at: now)
    }

    mutating func seek(to position: Int, at now: Date) { mark(within(position), at: now) }

    /// Plays the list in another order, or in its original order. The current track continues.
    mutating func setShuffle(_ isOn: Bool) {
        guard isOn != isShuffled, let place = unshuffled.firstIndex(where: { $0.uri == list[index].uri }) else {
            return
        }
        isShuffled = isOn
        if isOn { shuffle(from: place) } else { (list, index) = (unshuffled, place) }
    }

    mutating func enqueue(_ track: Track) { queue.append(track) }

    /// Makes another device play.
    ///
    /// - Parameter id: `nil` turns all devices off.
    mutating func activate(_ id: String?) {
        for position in devices.indices { devices[position].isActive = devices[position].id == id }
    }

    mutating func setVolume(_ percent: Int, of id: String) {
        guard let position = devices.firstIndex(where: { $0.id == id }) else { return }
        devices[position].volumePercent = percent
    }

    // MARK: -

    /// Limits a position to the track. Beyond its end, the client would wait for ever for the track to play through.
    private func within(_ position: Int) -> Int { min(max(0, position), current.durationMs - 1) }

    private mutating func mark(_ position: Int, at now: Date) { (progress, since) = (position, now) }

    private mutating func leave(at now: Date) {
        history.add(current, from: context, position: progress(at: now), endedAt: now.milliseconds)
    }

    /// Reverses the rest of the list, so that tests can predict it.
    private mutating func shuffle(from place: Int) {
        let rest = unshuffled[..<place] + unshuffled[(place + 1)...]
        (list, index) = ([unshuffled[place]] + rest.reversed(), 0)
    }

    /// The first track follows the last one.
    private mutating func advance() {
        if !queue.isEmpty {
            current = queue.removeFirst()
        } else {
            index = (index + 1) % list.count
            current = list[index]
        }
    }
}
