// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a server does when a refresh token that it has exchanged already comes again.
public enum GraceMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// The one that was exchanged last brings the same successor, within the grace and as long as the successor is unused.
    /// Anything else revokes the family.
    case previousOnly = "previous-only"
    /// Any one brings the newest pair within the grace after its exchange; later it revokes the family.
    case replayAny = "replay-any"
    /// The family is revoked at once.
    case strict
}
