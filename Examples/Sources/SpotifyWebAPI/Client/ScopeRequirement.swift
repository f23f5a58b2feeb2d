// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The scopes that a call needs.
struct ScopeRequirement: Hashable, Sendable {
    let scopes: Set<String>
    /// Whether one of them is enough.
    let isAlternative: Bool

    static let none = all([])
    static func all(_ scopes: Set<String>) -> ScopeRequirement { .init(scopes: scopes, isAlternative: false) }
    static func any(_ scopes: Set<String>) -> ScopeRequirement { .init(scopes: scopes, isAlternative: true) }

    /// - Parameter missing: the scopes of ``scopes`` that the token lacks.
    func isMet(missing: Set<String>) -> Bool { isAlternative ? missing.count < scopes.count : missing.isEmpty }
}
