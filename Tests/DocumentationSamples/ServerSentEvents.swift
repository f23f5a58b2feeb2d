// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import RequestAuthorizationAsyncHTTPClient

// sample: follow
/// Passes on the events of a stream, and connects again whenever the server ends it.
struct ServerSentEvents {
    let client: HTTPClient
    let url: String
    let auth: any AuthorizationProvider

    /// Returns when the server says that there is no more (204). Any other status than 200 is an error.
    func follow(_ handle: (ServerSentEvent) async throws -> Void) async throws {
        var parser = EventParser()
        while true {
            var request = HTTPClientRequest(url: url)
            request.headers.add(name: "Accept", value: "text/event-stream")
            if let id = parser.lastEventID { request.headers.add(name: "Last-Event-ID", value: id) }

            // Each connection is authorized anew: it gets the token that is valid then, and a 401 refreshes once.
            let response = try await client.execute(request, timeout: .seconds(30), authorizedBy: auth)
            if response.status == .noContent { return }
            guard response.status == .ok else { throw UnexpectedStatus(code: response.statusCode) }

            parser.beginConnection()
            var parts = response.body.makeAsyncIterator()
            while let part = try? await parts.next() {  // an error ends this connection, not the stream
                for event in parser.events(in: part) { try await handle(event) }
            }
            try await Task.sleep(for: parser.pause)
        }
    }
}
// end sample

struct UnexpectedStatus: Error {
    let code: Int
}

// sample: parser
/// One event (WHATWG HTML, "Server-sent events").
struct ServerSentEvent: Equatable {
    var name = ""
    var data = ""
}

/// Cuts bytes into events, and keeps what the next connection needs to know.
struct EventParser {
    private(set) var lastEventID: String?
    private(set) var pause = Duration.seconds(3)

    private var line: [UInt8] = []
    private var follows13 = false
    private var event = ServerSentEvent()
    private var hasData = false
    private var id: String?

    /// An unfinished event is lost with its connection. The server sends it again.
    mutating func beginConnection() {
        (line, follows13, event, hasData, id) = ([], false, ServerSentEvent(), false, lastEventID)
    }

    mutating func events(in part: ByteBuffer) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in part.readableBytesView {
            defer { follows13 = byte == 13 }
            if byte == 10, follows13 { continue }  // lines end with CR, LF or both
            guard byte == 10 || byte == 13 else {
                line.append(byte)
                continue
            }
            if line.isEmpty { if let event = finish() { events.append(event) } } else { read() }
            line = []
        }
        return events
    }

    private mutating func finish() -> ServerSentEvent? {
        defer { (event, hasData) = (ServerSentEvent(), false) }
        lastEventID = id
        return hasData ? event : nil
    }

    private mutating func read() {
        let parts = line.split(separator: 58, maxSplits: 1, omittingEmptySubsequences: false)  // at the colon
        var value = parts.count == 2 ? String(decoding: parts[1], as: UTF8.self) : ""
        if value.hasPrefix(" ") { value.removeFirst() }
        switch String(decoding: parts[0], as: UTF8.self) {
        case "data":
            event.data += hasData ? "\n" + value : value
            hasData = true
        case "event": event.name = value
        case "id" where !value.utf8.contains(0): id = value
        case "retry": if let milliseconds = UInt32(value) { pause = .milliseconds(Int(milliseconds)) }
        default: break
        }
    }
}
// end sample
#endif
