// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct ConnectionTests {
    /// URLSession on Linux repeats a request if its reused connection drops: a request without a body is really sent
    /// twice. Of one with a body only the head is sent again, and the call then hangs.
    @Test(arguments: ["POST", "PATCH", "PUT"], [nil, "body"])
    func `a request that must not be repeated is not sent again when a connection drops`(
        method: String, body: String?
    ) async throws {
        guard method != "PUT" || body != nil else { return }
        try await withServer { request in
            request.target == "/first" ? .text("") : .drop
        } body: { server in
            let session = URLSession(configuration: .ephemeral)
            _ = try await Way.data.send(URLRequest(url: server.url("/first")), through: session)
            var request = URLRequest(url: server.url("/second"))
            request.httpMethod = method
            request.httpBody = body.map { Data($0.utf8) }
            let error = await #expect(throws: URLError.self) { try await Way.data.send(request, through: session) }
            #expect(error?.code != .timedOut)
            #expect(await server.requests.map(\.target) == ["/first", "/second"])
        }
    }

    @Test(arguments: [Way.uploadData, .uploadFile])
    func `an upload is not sent again when a connection drops`(way: Way) async throws {
        try await withServer { request in
            request.target == "/first" ? .text("") : .drop
        } body: { server in
            let session = URLSession(configuration: .ephemeral)
            _ = try await Way.data.send(URLRequest(url: server.url("/first")), through: session)
            let error = await #expect(throws: URLError.self) {
                try await way.send(way.request(server.url("/second")), through: session)
            }
            #expect(error?.code != .timedOut)
            #expect(await server.requests.map(\.target) == ["/first", "/second"])
        }
    }

    @Test func `a request that may be repeated shares the session's connections`() async throws {
        try await withServer { _ in
            .text("")
        } body: { server in
            let session = URLSession(configuration: .ephemeral)
            for _ in 0..<5 { _ = try await Way.data.send(URLRequest(url: server.url("/")), through: session) }
            #expect(await server.connections == 1)
        }
    }

    @Test func `cookies of a session reach also requests with a connection of their own`() async throws {
        try await withServer { _ in
            .status(200, ("Set-Cookie", "a=b; Path=/"))
        } body: { server in
            let session = URLSession(configuration: .ephemeral)
            _ = try await Way.data.send(URLRequest(url: server.url("/")), through: session)
            _ = try await Way.uploadData.send(Way.uploadData.request(server.url("/")), through: session)
            _ = try await Way.data.send(URLRequest(url: server.url("/")), through: session)
            #expect(await server.requests.map { $0["Cookie"] } == [nil, "a=b", "a=b"])
        }
    }

    @Test func `a GET with a body fails instead of hanging`() async throws {
        try await withServer { _ in
            .text("")
        } body: { server in
            var request = URLRequest(url: server.url("/"))
            request.httpBody = Data("body".utf8)
            await #expect(throws: URLError.self) { try await Way.data.send(request) }
        }
    }

    @Test(arguments: Way.allCases) func `an answer in pieces is joined`(way: Way) async throws {
        let text = String(repeating: "0123456789", count: 500)
        try await withServer { _ in
            .text(text).inPieces(of: 37)
        } body: { server in
            let received = try await way.send(way.request(server.url("/")))
            #expect(received == .init(200, text))
        }
    }

    @Test func `files of answers that the caller does not get are removed`() async throws {
        let directory = FileManager.default.temporaryDirectory
        let configuration = URLSessionConfiguration.ephemeral
        try await withServer { request in
            switch (request.target, request["Authorization"]) {
            case ("/a", _): .redirect(302, to: "/b")
            case (_, "Bearer 0"): .unauthorized("Bearer", body: Self.marker)
            default: .text(Self.marker)
            }
        } body: { server in
            _ = try await Way.download.send(
                URLRequest(url: server.url("/a")), through: URLSession(configuration: configuration))
        }
        let left = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "tmp" && (try? String(contentsOf: $0, encoding: .utf8)) == Self.marker }
        #expect(left == [])
    }

    /// Enough is sent that the client has begun to read it.
    @Test(arguments: [true, false])
    func `the file of a download that is cancelled, or times out, is removed`(isCancelled: Bool) async throws {
        let marker = UUID().uuidString
        let piece = Array(String(repeating: marker, count: 2_000).utf8)
        let sent = OneShot<Void>()
        try await withServer { _ in
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(piece.count * 1_000)\r\n\r\n"
            let pieces = Array(repeating: Answer.Step.send(piece), count: 256)
            return Answer(steps: [.send(Array(head.utf8))] + pieces + [.call { sent.fulfill() }])
        } body: { server in
            let configuration = URLSessionConfiguration.ephemeral
            if !isCancelled { configuration.timeoutIntervalForResource = 2 }
            let (url, session) = (server.url("/"), URLSession(configuration: configuration))
            let task = Task { try await Way.download.send(URLRequest(url: url), through: session) }
            if isCancelled {
                try await sent.value()
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            } else {
                let error = await #expect(throws: URLError.self) { try await task.value }
                #expect(error?.code == .timedOut)
            }
        }
        let left = try FileManager.default.contentsOfDirectory(
            at: FileManager.default.temporaryDirectory, includingPropertiesForKeys: nil
        ).filter { file in
            guard file.pathExtension == "tmp", let handle = try? FileHandle(forReadingFrom: file) else { return false }
            defer { try? handle.close() }
            return (try? handle.read(upToCount: marker.utf8.count)) == Data(marker.utf8)
        }
        #expect(left == [])
    }

    #if canImport(FoundationNetworking)
    @Test func `only its owner can read the file of a download`() async throws {
        try await withServer { _ in
            .text("secret")
        } body: { server in
            let (file, _) = try await URLSession.shared.download(
                for: URLRequest(url: server.url("/")), authorizedBy: .bearer("abc"))
            defer { try? FileManager.default.removeItem(at: file) }
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }
    #endif

    private static let marker = UUID().uuidString

    #if os(Linux)
    @Test func `three hundred uploads leave no descriptor behind`() async throws {
        // In a separate process, so that the descriptors of other tests do not count.
        await #expect(processExitsWith: .success) {
            func descriptors() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            }
            try await withServer { _ in
                .text("")
            } body: { server in
                let request = Way.uploadData.request(server.url("/"))
                for _ in 0..<10 { _ = try await Way.uploadData.send(request) }
                await server.waitForDepartures(10)
                let before = try descriptors()
                for _ in 0..<300 { _ = try await Way.uploadData.send(request) }
                await server.waitForDepartures(310)
                // The sessions of the last requests may still be about to end.
                let growth = try descriptors() - before
                #expect(growth < 30, "\(growth)")
            }
        }
    }
    #endif
}
#endif
