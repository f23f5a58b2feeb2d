// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A note of which sealed item holds no token: who lists the accounts has no key.
///
/// It names the item by a hash, so that it means nothing any more once another item has taken its place, whoever put it there.
/// It need not resist anybody: who can write it can remove the item. Earlier versions do not know it, and leave it alone.
extension CredentialFiles {
    /// Notes it, if the item is still that one.
    func noteEnded(_ item: Data) throws {
        try withGuard { folder, _ in
            guard try kept(in: folder).item == item else { return }
            try put(Self.note(item), as: ended, in: folder)
        }
    }

    /// Whether that was noted of an item; a note that cannot be read says nothing.
    func isNotedAsEnded(_ item: Data) -> Bool {
        let note = Self.note(item)
        guard let file = try? open(making: false)?.open(ended, for: .reading) else { return false }
        return (try? file.read(atMost: note.count + 1)) == note
    }

    private static func note(_ item: Data) -> Data { Data(CredentialName.hash(of: Array(item)).utf8) }
}
