// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
/// A server of a scenario. Each has a port of its own.
enum Role: String, CaseIterable, Sendable {
    case resource
    /// The authorization server.
    case server
    /// A second authorization server: the next one, or one that the client must not trust.
    case otherServer
    case identityProvider
}
#endif
