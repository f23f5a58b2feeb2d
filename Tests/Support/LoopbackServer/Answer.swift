// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
/// The steps with which a server answers a request. Unless the last one is `drop`, the connection stays open.
package struct Answer: Sendable {
    package enum Step: Sendable {
        case send([UInt8])
        case pause(Duration)
        /// Calls the test.
        case call(@Sendable () -> Void)
        /// Closes the connection.
        case drop
    }

    package var steps: [Step]

    package init(steps: [Step]) { self.steps = steps }

    /// Sends nothing and keeps the connection open.
    package static let silence = Answer(steps: [])
    /// Sends nothing and closes the connection.
    package static let drop = Answer(steps: [.drop])

    package static func raw(_ text: String) -> Answer { Answer(steps: [.send(Array(text.utf8))]) }

    package static func status(_ status: Int, _ fields: (String, String)..., body: String = "") -> Answer {
        let fields = fields.map { "\($0): \($1)\r\n" }.joined()
        return raw("HTTP/1.1 \(status) Status\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    package static func text(_ body: String) -> Answer { status(200, body: body) }

    package static func redirect(_ status: Int, to location: String, body: String = "") -> Answer {
        self.status(status, ("Location", location), body: body)
    }

    package static func unauthorized(_ challenge: String, body: String = "") -> Answer {
        status(401, ("WWW-Authenticate", challenge), body: body)
    }

    package func after(_ pause: Duration) -> Answer { Answer(steps: [.pause(pause)] + steps) }

    /// Sends the same bytes in pieces of this size.
    package func inPieces(of size: Int) -> Answer {
        Answer(
            steps: steps.flatMap { step -> [Step] in
                guard case .send(let bytes) = step else { return [step] }
                return stride(from: 0, to: bytes.count, by: size).map {
                    .send(Array(bytes[$0..<min($0 + size, bytes.count)]))
                }
            })
    }
}
#endif
