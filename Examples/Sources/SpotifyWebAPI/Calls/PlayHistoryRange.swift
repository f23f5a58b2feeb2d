// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What part of the tracks that were played.
public enum PlayHistoryRange: Hashable, Sendable {
    /// What was played earlier.
    case before(Date)
    /// What was played later.
    case after(Date)
}
