// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL
internal import CPostgreSQL

/// Runs one statement on the queue of its connection.
struct LibPQStatement {
    let handle: OpaquePointer
    let cancellation: StatementCancellation
    let end: ContinuousClock.Instant

    /// - Returns: the rows or the server's error. The connection can be used further.
    /// - Throws: ``PostgreSQLError`` if the server did not answer. The connection cannot be used any more.
    func run(_ statement: String, _ parameters: [String?]) throws -> Result<[[String?]], PostgreSQLError> {
        let isSent = withCStrings(parameters) { values in
            PQsendQueryParams(handle, statement, Int32(parameters.count), nil, values, nil, nil, 0)
        }
        guard isSent == 1 else { throw PostgreSQLError(.connectionLost) }
        var answer: Result<[[String?]], PostgreSQLError> = .success([])
        while let result = try nextResult() {
            defer { PQclear(result) }
            // The first error counts.
            if case .success = answer { answer = try rows(of: result) }
        }
        guard PQstatus(handle) == CONNECTION_OK else { throw PostgreSQLError(.connectionLost) }
        return answer
    }

    // MARK: -

    private func nextResult() throws -> OpaquePointer? {
        while PQisBusy(handle) == 1 {
            let remaining = end - .now
            guard remaining > .zero, Readiness.isReadable(PQsocket(handle), within: remaining) else {
                cancellation.cancel()
                throw PostgreSQLError(.timedOut)
            }
            guard PQconsumeInput(handle) == 1 else { throw PostgreSQLError(.connectionLost) }
        }
        return PQgetResult(handle)
    }

    private func rows(of result: OpaquePointer) throws -> Result<[[String?]], PostgreSQLError> {
        let status = PQresultStatus(result)
        if status == PGRES_COMMAND_OK { return .success([]) }
        guard status == PGRES_TUPLES_OK else {
            // libpq would return the result of a `COPY` again and again. 0A000 is "feature not supported".
            if [PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH].contains(status) {
                throw PostgreSQLError(.refused, sqlState: "0A000")
            }
            // PG_DIAG_SQLSTATE
            guard let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))) else {
                throw PostgreSQLError(.connectionLost)
            }
            return .failure(PostgreSQLError(.refused, sqlState: String(cString: state)))
        }
        let columns = 0..<PQnfields(result)
        return .success(
            (0..<PQntuples(result)).map { row in
                columns.map { column in
                    PQgetisnull(result, row, column) == 1 ? nil : String(cString: PQgetvalue(result, row, column))
                }
            })
    }
}
#endif
