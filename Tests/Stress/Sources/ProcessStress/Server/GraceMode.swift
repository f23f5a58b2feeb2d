// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a server does when a spent refresh token is presented again.
public enum GraceMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// The last spent token brings the same successor within the grace, until the successor is used. Any other spent
    /// token revokes the family.
    case previousOnly = "previous-only"
    /// Within the grace after its exchange any spent token brings the newest pair. Later it revokes the family.
    case replayAny = "replay-any"
    /// The family is revoked at once.
    case strict
}
