// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The scopes that a call needs.
struct ScopeRequirement: Hashable, Sendable {
    let scopes: Set<String>
    /// Whether one of them is enough.
    let isAlternative: Bool

    static let none = all([])
    static func all(_ scopes: Set<SpotifyScope>) -> ScopeRequirement { .init(scopes, isAlternative: false) }
    static func any(_ scopes: Set<SpotifyScope>) -> ScopeRequirement { .init(scopes, isAlternative: true) }

    private init(_ scopes: Set<SpotifyScope>, isAlternative: Bool) {
        (self.scopes, self.isAlternative) = (Set(scopes.map(\.rawValue)), isAlternative)
    }

    /// - Parameter missing: the scopes of ``scopes`` that the token lacks.
    func isMet(missing: Set<String>) -> Bool { isAlternative ? missing.count < scopes.count : missing.isEmpty }
}
