// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A note that an encrypted item is a tombstone, because the list of accounts has no key to find out.
///
/// The note has a hash of the item, so that it does not apply to a later item. The hash need not be secure: a program
/// that can write the note can also remove the item. Earlier versions ignore the note.
extension CredentialFiles {
    /// Writes the note, if the stored item is still this one.
    func noteEnded(_ item: Data) throws {
        try withGuard { folder, _ in
            guard try kept(in: folder).item == item else { return }
            try put(Self.note(item), as: ended, in: folder)
        }
    }

    /// Whether the item has a note. A note that cannot be read is ignored.
    func isNotedAsEnded(_ item: Data) -> Bool {
        let note = Self.note(item)
        guard let file = try? open(making: false)?.open(ended, for: .reading) else { return false }
        return (try? file.read(atMost: note.count + 1)) == note
    }

    private static func note(_ item: Data) -> Data { Data(CredentialName.hash(of: Array(item)).utf8) }
}
