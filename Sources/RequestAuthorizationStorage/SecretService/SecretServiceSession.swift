// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if SecretService
internal import CSecretService

/// The attributes and the label of an item. They are not encrypted, so they hold no secret.
struct SecretServiceName: Hashable, Sendable {
    static let schema = "io.github.swift-request-authorization.Token"

    let client: String
    let account: String

    var attributes: [String: String] { ["client": client, "account": account] }
    var label: String { "Token of \(account) for \(client)" }
}

/// A connection to the Secret Service for one operation, on one thread that may block.
///
/// It tells a locked item from a missing one, which `secret_password_lookup` does not do.
final class SecretServiceSession {
    private let service: UnsafeMutablePointer<CSecretService.SecretService>
    private let cancellation: SecretServiceCancellation
    private let schema = SecretServiceSchema()
    private var cancellable: UnsafeMutablePointer<GCancellable>? { cancellation.cancellable }

    init(_ cancellation: SecretServiceCancellation) throws {
        self.cancellation = cancellation
        let bus = try callingForObject(cancellation) {
            g_bus_get_sync(G_BUS_TYPE_SESSION, cancellation.cancellable, $0)
        }
        defer { g_object_unref(UnsafeMutableRawPointer(bus)) }
        // Otherwise GDBus ends the whole process when the session bus goes away.
        g_dbus_connection_set_exit_on_close(bus, 0)
        service = try callingForObject(cancellation) {
            secret_service_get_sync(SECRET_SERVICE_OPEN_SESSION, cancellation.cancellable, $0)
        }
    }

    deinit { g_object_unref(service) }

    /// Runs the work, and once more if the service has ended: without a main loop libsecret hears of no new one.
    static func run<Result>(
        _ cancellation: SecretServiceCancellation, _ work: (SecretServiceSession) throws -> Result
    ) throws -> Result {
        do {
            return try work(try SecretServiceSession(cancellation))
        } catch let error as SecretServiceError where error.isGone {
            return try work(try SecretServiceSession(cancellation))
        }
    }

    func value(of name: SecretServiceName) throws -> Data? {
        let items = try found(name)
        return try withExtendedLifetime(items) { try items.newest.map(value) }
    }

    func store(_ value: Data, as name: SecretServiceName) throws {
        do {
            try storeUnlocked(value, as: name)
        } catch let error as SecretServiceError where error.isLocked {
            try unlockDefaultCollection()
            try storeUnlocked(value, as: name)
        }
    }

    func delete(_ name: SecretServiceName) throws {
        let items = try found(name)
        try withExtendedLifetime(items) {
            for item in items.all {
                try unlock(item, isLocked: secret_item_get_locked(item) != 0)
                _ = try calling { secret_item_delete_sync(item, cancellable, $0) }
            }
        }
        // libsecret reports success also after a refusal: it drops `dismissed` of the prompt.
        guard try items.isEmpty || search(name).isEmpty else {
            throw TokenStoreError(
                .unavailable,
                """
                the keyring still has the token, because its prompt was refused or closed; it is tried again: allow \
                that, or delete the item in the keyring's own program
                """)
        }
    }

    // MARK: - Items

    /// Searches again once the default collection is unlocked: some services find nothing while they are locked.
    private func found(_ name: SecretServiceName) throws -> SecretServiceItems {
        let items = try search(name)
        guard items.isEmpty else { return items }
        try unlockDefaultCollection()
        return try search(name)
    }

    private func search(_ name: SecretServiceName) throws -> SecretServiceItems {
        let table = SecretServiceTable(name.attributes)
        let flags = SecretSearchFlags(SECRET_SEARCH_ALL.rawValue)
        return SecretServiceItems(
            try calling {
                secret_service_search_sync(service, schema.pointer, table.pointer, flags, cancellable, $0)
            })
    }

    private func value(of item: UnsafeMutablePointer<SecretItem>) throws -> Data {
        try unlock(item, isLocked: secret_item_get_locked(item) != 0)
        _ = try calling { secret_item_load_secret_sync(item, cancellable, $0) }
        guard let value = secret_item_get_secret(item) else {
            throw TokenStoreError(.unavailable, "the Secret Service did not return the item; it is tried again")
        }
        defer { secret_value_unref(UnsafeMutableRawPointer(value)) }
        var length: gsize = 0
        guard let bytes = secret_value_get(value, &length) else { return Data() }
        return Data(bytes: bytes, count: Int(length))
    }

    private func storeUnlocked(_ value: Data, as name: SecretServiceName) throws {
        let table = SecretServiceTable(name.attributes)
        let secret = value.withUnsafeBytes { bytes in
            secret_value_new(
                bytes.baseAddress?.assumingMemoryBound(to: gchar.self), gssize(bytes.count), "application/octet-stream")
        }
        defer { secret_value_unref(UnsafeMutableRawPointer(secret)) }
        let (former, start) = (try search(name).times, g_get_real_time() / 1_000_000)
        let isStored = try calling {
            secret_service_store_sync(
                service, schema.pointer, table.pointer, SECRET_COLLECTION_DEFAULT, name.label, secret, cancellable, $0)
        }
        // After a refusal, too, libsecret reports success. Then there is no item, or this program may not use it and it is
        // unchanged. A program that was allowed this save only may not use it either.
        let found = try search(name)
        guard isStored != 0, found.hasUnlocked || found.hasChange(since: start, after: former) else {
            throw TokenStoreError(
                .unavailable,
                """
                the keyring did not store the token, because its prompt was refused or closed; it is tried again: \
                allow that, or use RestrictedFileTokenStore
                """)
        }
    }

    // MARK: - Locks

    /// - Throws: `TokenStoreError` if it stays locked, or if there is no default collection.
    private func unlockDefaultCollection() throws {
        let collection = try calling {
            secret_collection_for_alias_sync(
                service, SECRET_COLLECTION_DEFAULT, SECRET_COLLECTION_NONE, cancellable, $0)
        }
        guard let collection else {
            throw TokenStoreError(
                .unavailable, "the Secret Service has no default keyring; log in to the desktop, or create one")
        }
        defer { g_object_unref(collection) }
        try unlock(collection, isLocked: secret_collection_get_locked(collection) != 0)
    }

    private func unlock(_ object: UnsafeMutableRawPointer, isLocked: Bool) throws {
        guard isLocked else { return }
        var list = GList(data: object, next: nil, prev: nil)
        let count = try calling { secret_service_unlock_sync(service, &list, cancellable, nil, $0) }
        guard count > 0 else { throw SecretServiceError.locked }
    }
}

/// Owns the items that a search has found. The pointers are valid while it exists.
final class SecretServiceItems {
    private let list: UnsafeMutablePointer<GList>?

    init(_ list: UnsafeMutablePointer<GList>?) { self.list = list }

    deinit { g_list_free_full(list, g_object_unref) }

    var isEmpty: Bool { list == nil }

    var hasUnlocked: Bool { withExtendedLifetime(self) { all.contains { secret_item_get_locked($0) == 0 } } }

    /// When the items were changed, in seconds since 1970. Locked items say it, too.
    var times: [guint64] { withExtendedLifetime(self) { all.map { secret_item_get_modified($0) } } }

    /// Whether an item was changed since the start of a save, and at none of the former times.
    ///
    /// The start counts because a locked keyring may have found no former item. A second save in one second is taken for
    /// refused, and is repeated: the other mistake would lose a token.
    func hasChange(since start: gint64, after former: [guint64]) -> Bool {
        times.contains { $0 >= start && !former.contains($0) }
    }

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

/// Owns the schema of our items.
final class SecretServiceSchema {
    let pointer: UnsafeMutablePointer<SecretSchema>?

    init() {
        let types = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, nil)
        defer { g_hash_table_unref(types) }
        // `nil` is 0, the number of the string type (`SECRET_SCHEMA_ATTRIBUTE_STRING`).
        for name in ["client", "account"] { g_hash_table_insert(types, g_strdup(name), nil) }
        pointer = secret_schema_newv(SecretServiceName.schema, SECRET_SCHEMA_NONE, types)
    }

    deinit { secret_schema_unref(pointer) }
}
#endif
