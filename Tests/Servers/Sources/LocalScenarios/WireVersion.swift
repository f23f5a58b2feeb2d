// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
/// The version of the Model Context Protocol (MCP) that a client speaks.
public enum WireVersion: String, CaseIterable, Codable, Sendable, CustomStringConvertible {
    /// `initialize` opens a session, and requests follow.
    case november2025 = "2025-11-25"
    /// Each request stands alone and names the version itself.
    case july2026 = "2026-07-28"

    public var description: String { rawValue }

    /// The requests that a client sends before it uses tools.
    var handshake: [String] { self == .november2025 ? ["initialize", "notifications/initialized"] : [] }
}
#endif
