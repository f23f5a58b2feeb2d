// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// The samples of Documentation/Guide/ChoosingAStore.md for Apple's platforms. `.ci/check-apple-sources` checks their types.

import Foundation
import RequestAuthorization
import RequestAuthorizationStorage

struct WidgetToken: AuthorizationToken, Codable {
    var refreshToken = ""
    var authorizationHeaderValue: String { "Bearer" }
}

struct WidgetTokenService: RefreshableTokenService {
    func refresh(_ token: WidgetToken) async throws -> WidgetToken { token }
}

func keychain(service: WidgetTokenService) {
    // sample: keychain
    let store = KeychainTokenStore<WidgetToken>(client: "CLIENT_ID", account: "me")
    let auth = RefreshableTokenAuthorization(service: service, store: store)
    // end sample
    _ = auth
}

func unsignedTool() {
    // sample: unsigned
    let store = KeychainTokenStore<WidgetToken>(client: "CLIENT_ID", account: "me", keychain: .file)
    // end sample
    _ = store
}

func appGroup(service: WidgetTokenService) {
    // sample: app-group
    let app = RefreshableTokenAuthorization(
        service: service, store: .appGroup("group.com.example", client: "CLIENT_ID", account: "me"))
    // end sample
    _ = app
}

func widget(service: WidgetTokenService) {
    // sample: widget
    let widget = RefreshableTokenAuthorization(
        service: service, store: .appGroup("group.com.example", client: "CLIENT_ID", account: "me").readOnly)
    // end sample
    _ = widget
}

func cloud() {
    // sample: cloud
    // One token for all devices of the user. Its refresh token stays the same.
    let shared = CloudKitTokenStore<WidgetToken>(
        container: "iCloud.com.example.app", client: "CLIENT_ID", account: "me",
        sharing: .oneForAllDevices { $0.refreshToken })
    // For refresh tokens that rotate: each device signs in for itself.
    let single = CloudKitTokenStore<WidgetToken>(
        container: "iCloud.com.example.app", client: "CLIENT_ID", account: "me", sharing: .eachDeviceSignsIn)
    // end sample
    _ = (shared, single)
}
