// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorization

/// Dates in the answers of token endpoints that are not OAuth's.
@Suite struct JSONDateFormatTests {
    private struct Answer: Decodable, Equatable {
        let refreshToken: String
        let expiresAt: Date?
    }

    private func post(_ date: String, _ dates: JSONDateFormat?) async throws -> Date? {
        let url = try #require(URL(string: "https://accounts.example.com/token"))
        let json = #"{"refresh_token":"r","expires_at":\#(date)}"#
        let endpoint = JSONTokenEndpoint(
            url, transport: ScriptedTokenTransport(.response(200, json: json)), clock: ManualClock(),
            keys: .convertFromSnakeCase, dates: dates)
        return try await endpoint.post(["a": "1"], expecting: Answer.self).body.expiresAt
    }

    @Test(arguments: [
        ("1700000000", JSONDateFormat.seconds, 1_700_000_000.0), ("1700000000.25", .seconds, 1_700_000_000.25),
        (#""1700000000""#, .seconds, 1_700_000_000), ("-1", .seconds, -1), ("0", .seconds, 0),
        ("1700000000250", .milliseconds, 1_700_000_000.25), (#""1700000000250""#, .milliseconds, 1_700_000_000.25),
        (#""2023-11-14T22:13:20Z""#, .iso8601, 1_700_000_000),
        (#""2023-11-14t22:13:20.5z""#, .iso8601, 1_700_000_000.5),
        (#""2023-11-14 23:13:20+01:00""#, .iso8601, 1_700_000_000),
        (#""2023-11-14T16:43:20.123456-0530""#, .iso8601, 1_700_000_000.123456),
        (#""1970-01-01T00:00:00+00:00""#, .iso8601, 0), (#""2024-02-29T23:59:60Z""#, .iso8601, 1_709_251_200),
        (#""2100-12-31T12:00:00Z""#, .iso8601, 4_133_937_600),
    ])
    func `a date is read in the format that the program names`(
        value: String, format: JSONDateFormat, seconds: Double
    ) async throws {
        let date = try #require(try await post(value, format))
        #expect(abs(date.timeIntervalSince1970 - seconds) < 1e-6)
    }

    @Test(arguments: [
        (#""2023-11-14T22:13:20Z""#, JSONDateFormat.seconds), ("1700000000000", .seconds), ("true", .seconds),
        (#""0x10""#, .seconds), (#""""#, .seconds), ("170000000000000", .milliseconds), ("1700000000", .iso8601),
        (#""2023-11-14""#, .iso8601), (#""2023-11-14T22:13:20""#, .iso8601), (#""2023-02-29T22:13:20Z""#, .iso8601),
        (#""2023-11-14T24:13:20Z""#, .iso8601), (#""2023-13-14T22:13:20Z""#, .iso8601),
        (#""2023-11-14T22:13:20.Z""#, .iso8601), (#""2023-11-14T22:13:20Zx""#, .iso8601),
        (#""２０２３-11-14T22:13:20Z""#, .iso8601), (#""""#, .iso8601),
    ])
    func `a date in another format is an error that names the member`(value: String, format: JSONDateFormat)
        async throws
    {
        await #expect(throws: InvalidTokenResponse(field: "expiresAt", problem: .malformed)) {
            try await post(value, format)
        }
    }

    @Test(arguments: ["1700000000", #""2023-11-14T22:13:20Z""#])
    func `a date without a format is an error that names the parameter`(value: String) async throws {
        let error = await #expect(throws: InvalidTokenResponse.self) { try await post(value, nil) }
        #expect(error == InvalidTokenResponse(field: "expiresAt", problem: .noDateFormat))
        #expect(error?.description.contains("pass dates: .seconds, .milliseconds or .iso8601") == true)
        #expect(try await post("null", nil) == nil)
    }
}
