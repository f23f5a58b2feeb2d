// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL
internal import CPostgreSQL

/// The user's connection string, with defaults for what it does not set.
struct ConnectionParameters: Sendable, RedactedDescription {
    private let connection: String
    private let hasSeveralHosts: Bool

    /// - Throws: ``PostgreSQLError`` without libpq's message, which quotes parts of the string.
    init(_ connection: String) throws {
        guard !connection.utf8.contains(0), let options = PQconninfoParse(connection, nil) else {
            throw PostgreSQLError(.malformedConnection)
        }
        defer { PQconninfoFree(options) }
        (self.connection, hasSeveralHosts) = (connection, Self.listsHosts(options))
    }

    /// Connects. Blocks the thread.
    ///
    /// - Throws: ``PostgreSQLError``.
    func connected() throws -> OpaquePointer {
        // The connection string (`dbname`) overrides the entries before it, but not those after it. Each host has the
        // time to connect: one that hangs leaves time for the next one within the limit of a call.
        let entries = [
            ("connect_timeout", hasSeveralHosts ? "2" : "5"), ("tcp_user_timeout", "10000"),
            ("keepalives_idle", "60"), ("keepalives_interval", "10"),
            ("application_name", "swift-request-authorization"), ("dbname", connection), ("client_encoding", "UTF8"),
        ]
        let handle: OpaquePointer? = withCStrings(entries.map(\.0)) { keywords in
            withCStrings(entries.map(\.1)) { values in PQconnectdbParams(keywords, values, 1) }
        }
        guard let handle else { throw PostgreSQLError(.unreachable) }
        if let problem = Self.problem(of: handle) {
            PQfinish(handle)
            throw problem
        }
        // By default libpq writes notices to the standard error output.
        _ = PQsetNoticeReceiver(handle, { _, _ in }, nil)
        return handle
    }

    // MARK: -

    /// - Parameter options: an array, whose last element has no keyword.
    private static func listsHosts(_ options: UnsafeMutablePointer<PQconninfoOption>) -> Bool {
        var option = options
        while let keyword = option.pointee.keyword {
            let isHost = ["host", "hostaddr"].contains(String(cString: keyword))
            if isHost, let hosts = option.pointee.val, String(cString: hosts).utf8.contains(UInt8(ascii: ",")) {
                return true
            }
            option += 1
        }
        return false
    }

    /// Returns why there is no connection, or `nil` if there is one.
    ///
    /// libpq tells only a text. It is dropped, because it names hosts and users and quotes its input.
    ///
    /// - Parameter hasStates: whether the text has an SQLSTATE in place of the server's words.
    private static func problem(of handle: OpaquePointer, hasStates: Bool = false) -> PostgreSQLError? {
        guard PQstatus(handle) != CONNECTION_OK else { return nil }
        // Without a descriptor libpq fails in various ways, and its message depends on the language.
        guard Readiness.hasFreeDescriptor else { return PostgreSQLError(.tooManyFiles) }
        let message = String(cString: PQerrorMessage(handle))
        if message.hasPrefix("invalid ") { return PostgreSQLError(.malformedConnection) }
        if limits.contains(where: message.contains) { return PostgreSQLError(.refused, sqlState: "53300") }
        let isOfTLS = ["SSL", "TLS", "certificate", "private key"].contains(where: message.contains)
        // libpq writes two spaces after the severity of a server's error, which may be in any language.
        let isAnswered = message.contains(":  ")
        // A server that refuses a user names the database, and whether TLS is used. A root certificate may be missing, too.
        if refusals.contains(where: message.contains), !isOfTLS || isAnswered { return PostgreSQLError(.accessDenied) }
        if isAnswered, !hasStates {
            // The words are unknown, or of another language (`lc_messages`). libpq can show the SQLSTATE of a next try.
            _ = PQsetErrorVerbosity(handle, PQERRORS_SQLSTATE)
            PQreset(handle)
            return problem(of: handle, hasStates: true)
        }
        if isOfTLS { return PostgreSQLError(.insecure) }
        return PostgreSQLError(message.contains("timeout expired") ? .timedOut : .unreachable)
    }

    // SQLSTATEs, the server's words, and those of PgBouncer.
    private static let limits = [
        ":  53300", "too many clients", "too many connections", "connection slots are", "no more connections allowed",
    ]
    private static let refusals = [
        ":  28000", ":  28P01", ":  3D000", ":  42501", "authentication failed", "no password supplied",
        "pg_hba.conf", "does not exist", "not permitted to log in", "permission denied for database",
    ]
}

/// Calls the body with an array of C strings and a null pointer at its end. A `nil` text is a null pointer, too.
///
/// The copies are overwritten before they are freed, because they may have a password.
func withCStrings<Result>(_ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result) -> Result {
    let copies = texts.map { text in
        text.map { text in
            let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: text.utf8.count + 1)
            _ = copy.initialize(from: text.utf8CString)
            return copy
        }
    }
    defer {
        for copy in copies {
            copy?.update(repeating: 0)
            copy?.deallocate()
        }
    }
    let pointers = copies.map { UnsafePointer($0?.baseAddress) } + [nil]
    return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
}
#endif
