// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if SecretService
internal import CSecretService

/// Owns the items that a search has found.
final class SecretServiceItems {
    private let list: UnsafeMutablePointer<GList>?

    init(_ list: UnsafeMutablePointer<GList>?) { self.list = list }

    deinit { g_list_free_full(list, g_object_unref) }

    var isEmpty: Bool { list == nil }

    var all: [UnsafeMutablePointer<SecretItem>] {
        sequence(first: list) { $0?.pointee.next }.prefix { $0 != nil }
            .compactMap { $0?.pointee.data?.assumingMemoryBound(to: SecretItem.self) }
    }

    /// The item to read if several keyrings have one.
    var newest: UnsafeMutablePointer<SecretItem>? {
        all.max { secret_item_get_modified($0) < secret_item_get_modified($1) }
    }
}

/// Owns a hash table of names and values for libsecret.
final class SecretServiceTable {
    let pointer = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)

    init(_ entries: [String: String]) {
        for (name, value) in entries { g_hash_table_insert(pointer, g_strdup(name), g_strdup(value)) }
    }

    deinit { g_hash_table_unref(pointer) }
}
#endif
