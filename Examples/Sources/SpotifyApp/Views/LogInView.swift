// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(SwiftUI)
import SwiftUI

/// A button that opens Spotify's page in the browser.
struct LogInView: View {
    let model: SpotifyModel
    @Environment(\.openURL) private var openURL

    var body: some View {
        VStack(spacing: 24) {
            Text("What is playing?").font(.largeTitle)
            Button("Log in with Spotify") {
                Task {
                    if let url = await model.signIn() { openURL(url) }
                }
            }
            .buttonStyle(.borderedProminent)
            if model.isSigningIn { Text("Go on in the browser.").foregroundStyle(.secondary) }
        }
        .padding()
    }
}
#endif
