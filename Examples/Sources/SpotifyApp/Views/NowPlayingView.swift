// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(SwiftUI)
import SpotifyWebAPI
import SwiftUI

/// The user, and the current track or episode.
struct NowPlayingView: View {
    let model: SpotifyModel

    var body: some View {
        VStack(alignment: .leading, spacing: 16) {
            Text(model.user?.displayName ?? model.user?.id ?? "").font(.title)
            if let playing = model.playing {
                Text(playing.title).font(.headline)
                Text(playing.makers).foregroundStyle(.secondary)
                ProgressView(value: playing.progress)
            } else {
                Text("Nothing is playing.").foregroundStyle(.secondary)
            }
            if model.isStale { Label("Spotify cannot be reached.", systemImage: "wifi.slash") }
            HStack {
                Button("Refresh") { Task { await model.refresh() } }
                Button("Log out", role: .destructive) { Task { await model.signOut() } }
            }
        }
        .padding()
    }
}
#endif
