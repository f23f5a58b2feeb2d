// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import Testing

/// Clients of others wrap what their middleware throws, each in a way of its own.
@Suite struct WrappedErrorTests {
    private let error = NotAuthorized(.signedOut)

    @Test func `it finds the error itself`() { #expect(NotAuthorized(in: error)?.reason == .signedOut) }

    /// As the `ClientError` of swift-openapi-runtime: a property among others.
    @Test func `it finds an error in a property`() {
        struct ClientError: Error {
            let operationID = "getWidgets"
            let input: any Sendable = ["page": 1]
            let response: Int? = nil
            let underlyingError: any Error
        }
        #expect(NotAuthorized(in: ClientError(underlyingError: error))?.reason == .signedOut)
    }

    /// As `AFError` of Alamofire: a payload with a label, several levels deep.
    @Test func `it finds an error in a payload`() {
        enum RequestError: Error {
            case adaptationFailed(error: any Error)
            indirect case retryFailed(retryError: any Error, originalError: any Error)
        }
        let adaptation = RequestError.adaptationFailed(error: error)
        #expect(NotAuthorized(in: adaptation)?.reason == .signedOut)
        let retry = RequestError.retryFailed(retryError: URLError(.timedOut), originalError: adaptation)
        #expect(NotAuthorized(in: retry)?.reason == .signedOut)
    }

    @Test func `it finds an error in an NSError, below it, and in a list`() {
        let inner = NSError(domain: "inner", code: 1, userInfo: [NSUnderlyingErrorKey: error])
        #expect(NotAuthorized(in: inner)?.reason == .signedOut)
        let outer = NSError(domain: "outer", code: 2, userInfo: [NSUnderlyingErrorKey: inner])
        #expect(NotAuthorized(in: outer)?.reason == .signedOut)
        let several: [any Error] = [URLError(.timedOut), error]
        let list = NSError(domain: "list", code: 3, userInfo: ["NSMultipleUnderlyingErrorsKey": several])
        #expect(NotAuthorized(in: list)?.reason == .signedOut)
    }

    /// As an error of a base class whose subclass adds nothing.
    @Test func `it finds an error in a base class`() {
        class Base: Error, @unchecked Sendable {
            let cause: any Error
            init(_ cause: any Error) { self.cause = cause }
        }
        final class Derived: Base, @unchecked Sendable {}
        #expect(NotAuthorized(in: Derived(error))?.reason == .signedOut)
    }

    /// Counts the values that are taken out.
    private struct Rows: CustomReflectable, Sendable {
        let taken = Lock(0)

        var customMirror: Mirror {
            let rows = (0..<10_000).lazy.map { row in
                taken.withLock { $0 += 1 }
                return row
            }
            return Mirror(self, unlabeledChildren: rows, displayStyle: .collection)
        }
    }

    /// As an error with all rows of an answer that could not be read.
    @Test func `it looks at a thousand values of a long list`() {
        struct UnreadableAnswer: Error { let rows: Rows }
        let rows = Rows()
        #expect(NotAuthorized(in: UnreadableAnswer(rows: rows)) == nil)
        #expect((1...1_001).contains(rows.taken.withLock { $0 }))
    }

    @Test func `it looks at ten thousand values of a large table`() {
        struct UnreadableTable: Error { let table: [Rows] }
        let rows = Rows()
        #expect(NotAuthorized(in: UnreadableTable(table: Array(repeating: rows, count: 100))) == nil)
        #expect((5_000...10_001).contains(rows.taken.withLock { $0 }))
    }

    @Test func `it finds an error behind a long answer`() {
        struct RefusedCall: Error {
            let body: [UInt8]
            let cause: (any Error)?
        }
        let call = RefusedCall(body: Array(repeating: 7, count: 5_000), cause: error)
        #expect(NotAuthorized(in: call)?.reason == .signedOut)
    }

    @Test func `it finds none where there is none, and ends in a circle`() {
        #expect(NotAuthorized(in: URLError(.timedOut)) == nil)
        #expect(NotAuthorized(in: CancellationError()) == nil)
        #expect(
            NotAuthorized(in: RefreshFailed(underlying: URLError(.timedOut), nextTryAt: .now, delivery: .notSent))
                == nil)
        final class Circle: Error, @unchecked Sendable { var next: Circle? }
        let circle = Circle()
        circle.next = circle
        defer { circle.next = nil }
        #expect(NotAuthorized(in: circle) == nil)
    }
}
