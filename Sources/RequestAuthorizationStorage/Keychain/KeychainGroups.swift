// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The access groups of an item that was named without one.
///
/// Such an item is added to the program's first group. A program without keychain groups has one group of its own, which
/// stays its own when a later version gets a keychain group, and with it another first group. So an item in the own
/// group counts first. An item in any other group belongs to a store that names the group.
extension KeychainCalls {
    /// Returns the groups that have the item: all of them, or the one that counts.
    ///
    /// - Throws: `TokenStoreError`.
    func groupsWithoutName(of query: KeychainQuery, all: Bool) throws -> [String] {
        let (status, groups) = accessGroups(of: query)
        guard try status.isFound(query) else { return [] }
        let own = groups.filter(isOwn)
        if own.count == groups.count || !all && !own.isEmpty { return own }
        let first = try nameOfFirstGroup()
        return groups.filter { isOwn($0) || $0 == first }
    }

    // MARK: -

    /// Whether a group is the application identifier: a prefix without dots, and the bundle identifier. `group.` and the
    /// bundle identifier is a usual name of an app group.
    private func isOwn(_ group: String) -> Bool {
        guard let program, group.hasSuffix("." + program), !group.hasPrefix("group.") else { return false }
        return !group.dropLast(program.count + 1).contains(".")
    }

    /// Returns the program's first group. No call tells it, so an item is added and deleted to find out.
    private func nameOfFirstGroup() throws -> String {
        if let known = firstGroup.withLock({ $0 }) { return known }
        let probe = KeychainQuery(
            service: KeychainPurpose.probe.service(of: "groups"), account: UUID().uuidString,
            accessibility: .afterFirstUnlockThisDeviceOnly)
        let (status, group) = add(probe, value: Data([0]))
        guard status == .success else { throw status.error(probe) }
        guard let group else {
            throw TokenStoreError(
                .unavailable, "the Keychain did not tell the access group of an item; name one with accessGroup")
        }
        // If this fails, an empty item stays. No other item has its name.
        _ = delete(probe.in(group))
        firstGroup.withLock { $0 = group }
        return group
    }
}

extension KeychainQuery {
    /// Whether the item has an access group that the program did not name.
    var hasUnknownGroup: Bool { accessGroup == nil && keychain == .dataProtection }
}
