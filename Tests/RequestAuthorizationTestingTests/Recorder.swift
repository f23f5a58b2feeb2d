// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// Events, in order.
final class Recorder<Event: Sendable>: Sendable {
    private let events = Lock<[Event]>([])

    func append(_ event: Event) { events.withLock { $0.append(event) } }
    var list: [Event] { events.withLock { $0 } }
}
