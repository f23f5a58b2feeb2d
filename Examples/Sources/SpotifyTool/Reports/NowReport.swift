// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import SpotifyWebAPI

/// `spotify now`: what is playing, where.
struct NowReport: ToolReport {
    let isPlaying: Bool
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
        isPlaying = state?.isPlaying ?? false
        (name, by, uri) = (state?.item?.name, state?.item?.makers ?? [], state?.item?.uri)
        progressSeconds = (state?.progress).map { Int($0.components.seconds) }
        durationSeconds = (state?.item?.duration).map { Int($0.components.seconds) }
        (device, volumePercent) = (state?.device?.name, state?.device?.volumePercent)
        (repeats, isShuffled) = (state?.repeatState?.rawValue, state?.shuffleState)
    }

    var blocks: [Block] {
        guard let name else { return [.line([isPlaying ? "An advertisement is playing." : "Nothing is playing."])] }
        let place = [progressSeconds, durationSeconds].compactMap { $0.map(Self.clock) }.joined(separator: " of ")
        let volume = volumePercent.map { ", volume \($0) %" } ?? ""
        return [
            .line([isPlaying ? .good("playing ") : .dim("paused "), .bold(name)]),
            .facts(
                (by.isEmpty ? [] : [("by", Span(by.joined(separator: ", ")))]) + [("at", Span(place))]
                    + (device.map { [("on", Span($0 + volume))] } ?? []) + (uri.map { [("uri", .dim($0))] } ?? [])),
        ]
    }

    private static func clock(_ seconds: Int) -> String {
        "\(seconds / 60):" + (seconds % 60 < 10 ? "0" : "") + "\(seconds % 60)"
    }
}
