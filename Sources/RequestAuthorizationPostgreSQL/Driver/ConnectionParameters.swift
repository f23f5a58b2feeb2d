// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL
internal import CPostgreSQL

/// The user's connection string, with defaults for what it does not set.
struct ConnectionParameters: Sendable, RedactedDescription {
    private let connection: String

    /// - Throws: ``PostgreSQLError`` without libpq's message, which quotes parts of the string.
    init(_ connection: String) throws {
        guard !connection.utf8.contains(0), let options = PQconninfoParse(connection, nil) else {
            throw PostgreSQLError(.malformedConnection)
        }
        PQconninfoFree(options)
        self.connection = connection
    }

    /// Connects. Blocks the thread.
    ///
    /// - Throws: ``PostgreSQLError``.
    func connected() throws -> OpaquePointer {
        guard let handle = connect() else { throw PostgreSQLError(.unreachable) }
        guard PQstatus(handle) == CONNECTION_OK else {
            defer { PQfinish(handle) }
            throw PostgreSQLError(Self.problem(with: String(cString: PQerrorMessage(handle))))
        }
        // By default libpq writes notices to the standard error output.
        _ = PQsetNoticeReceiver(handle, { _, _ in }, nil)
        return handle
    }

    // MARK: -

    private func connect() -> OpaquePointer? {
        // The connection string (`dbname`) overrides the entries before it, but not those after it.
        let entries = [
            ("connect_timeout", "5"), ("tcp_user_timeout", "10000"),
            ("application_name", "swift-request-authorization"), ("dbname", connection), ("client_encoding", "UTF8"),
        ]
        return withCStrings(entries.map(\.0)) { keywords in
            withCStrings(entries.map(\.1)) { values in PQconnectdbParams(keywords, values, 1) }
        }
    }

    /// Classifies a message of libpq. The text is dropped, because it names hosts and users and quotes its input.
    private static func problem(with message: String) -> PostgreSQLError.Code {
        if message.hasPrefix("invalid ") { return .malformedConnection }
        if ["SSL", "TLS", "certificate"].contains(where: message.contains) { return .insecure }
        let refusals = ["authentication failed", "no password supplied", "pg_hba.conf", "does not exist"]
        if refusals.contains(where: message.contains) { return .accessDenied }
        return message.contains("timeout expired") ? .timedOut : .unreachable
    }
}

/// Calls the body with an array of C strings and a null pointer at its end. A `nil` text is a null pointer, too.
func withCStrings<Result>(_ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result) -> Result {
    let copies = texts.map { text in text.map { $0.utf8CString.withUnsafeBufferPointer { CString(copying: $0) } } }
    defer { for copy in copies { copy?.wipe() } }
    let pointers = copies.map { $0.map { UnsafePointer($0.pointer) } } + [nil]
    return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
}

/// A copy of a C string that is overwritten before it is freed, because it may have a password.
private struct CString {
    let pointer: UnsafeMutablePointer<CChar>
    private let count: Int

    init(copying text: UnsafeBufferPointer<CChar>) {
        (pointer, count) = (.allocate(capacity: text.count), text.count)
        for (index, unit) in text.enumerated() { pointer[index] = unit }
    }

    func wipe() {
        pointer.update(repeating: 0, count: count)
        pointer.deallocate()
    }
}
#endif
