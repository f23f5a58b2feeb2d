// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import SpotifyWebAPI

/// `spotify now`: what is playing, where.
struct NowReport: ToolReport {
    let isPlaying: Bool
    /// `track`, `episode`, `ad` or `unknown`.
    let type: String?
    let name: String?
    let by: [String]
    let uri: String?
    let progressSeconds: Int?
    let durationSeconds: Int?
    let device: String?
    let volumePercent: Int?
    /// `off`, `track` or `context`.
    let repeats: String?
    let isShuffled: Bool?

    /// - Parameter state: `nil` if no device is active.
    init(_ state: PlaybackState?) {
        (isPlaying, type) = (state?.isPlaying ?? false, state?.currentlyPlayingType)
        (name, by, uri) = (state?.item?.name, state?.item?.makers ?? [], state?.item?.uri)
        progressSeconds = (state?.progress).map { Int($0.components.seconds) }
        durationSeconds = (state?.item?.duration).map { Int($0.components.seconds) }
        (device, volumePercent) = (state?.device?.name, state?.device?.volumePercent)
        (repeats, isShuffled) = (state?.repeatState?.rawValue, state?.shuffleState)
    }

    var blocks: [Block] {
        guard let name else { return [.line([unnamed])] }
        let place = [progressSeconds, durationSeconds].compactMap { $0.map(Self.clock) }.joined(separator: " of ")
        let volume = volumePercent.map { ", volume \($0) %" } ?? ""
        return [
            .line([isPlaying ? .good("playing ") : .dim("paused "), .bold(name)]),
            .facts(
                (by.isEmpty ? [] : [("by", Span(by.joined(separator: ", ")))]) + [("at", Span(place))]
                    + (device.map { [("on", Span($0 + volume))] } ?? []) + (uri.map { [("uri", .dim($0))] } ?? [])),
        ]
    }

    // MARK: -

    /// The sentence for a state without an item.
    private var unnamed: Span {
        guard isPlaying else { return "Nothing is playing." }
        return type == "ad" ? "An advertisement is playing." : "Something is playing that Spotify does not name."
    }

    private static func clock(_ seconds: Int) -> String {
        "\(seconds / 60):" + (seconds % 60 < 10 ? "0" : "") + "\(seconds % 60)"
    }
}
