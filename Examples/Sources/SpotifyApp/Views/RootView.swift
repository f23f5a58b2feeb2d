// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(SwiftUI)
public import SwiftUI

/// The app's window: launching, logging in, or what is playing.
public struct RootView: View {
    @Bindable private var model: SpotifyModel

    public init(model: SpotifyModel) { self.model = model }

    public var body: some View {
        Group {
            switch model.screen {
            case .launching: ProgressView()
            case .logIn: LogInView(model: model)
            case .content: NowPlayingView(model: model)
            }
        }
        .task { await model.restore() }
        .onOpenURL { url in Task { await model.open(url) } }
        .alert(item: $model.alert) { alert in
            Alert(title: Text(alert.title), message: Text(alert.message))
        }
    }
}
#endif
