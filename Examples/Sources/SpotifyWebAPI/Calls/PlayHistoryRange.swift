// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A part of the play history.
public enum PlayHistoryRange: Hashable, Sendable {
    /// Tracks that were played before a date.
    case before(Date)
    /// Tracks that were played after a date.
    case after(Date)
}
