// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A token store that is not a `CodableTokenStore`, and keeps its content in a shared byte store.
protocol ItemBackedTokenStore: Sendable {
    var backing: any SharedByteStore { get }
}
