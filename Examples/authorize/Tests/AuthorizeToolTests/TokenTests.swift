// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationOAuth
import TestServers
import Testing

@testable import AuthorizeTool

/// What other programs get, with the programs themselves.
@Suite(.enabled(if: FastMCP.isThere, Comment(rawValue: FastMCP.how)), .timeLimit(.minutes(5)))
struct TokenTests {
    @Test func `curl reads the header from standard input, also after the token has expired`() async throws {
        try await User.with { user in
            try await user.login()
            let call = """
                authorize header \(user.url) | curl -s -o /dev/null -w '%{http_code}' -H @- -X POST \
                -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
                -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' \(user.url)
                """
            #expect(try await user.shell(call).output == "200")
            try await user.expireToken()
            try await user.server.expireTokens()
            #expect(try await user.shell(call).output == "200")
            #expect(try await user.server.counts().refreshes == 1)
        }
    }

    @Test func `a Python program reads the JSON`() async throws {
        try await User.with { user in
            try await user.login()
            let program = """
                import json, subprocess, datetime
                t = json.loads(subprocess.check_output(["authorize", "token", "\(user.url)", "--format", "json"]))
                end = datetime.datetime.fromisoformat(t["expires_at"].replace("Z", "+00:00"))
                left = (end - datetime.datetime.now(datetime.timezone.utc)).total_seconds()
                print(t["access_token"], t["token_type"].lower(), t["scope"], 3500 < left <= 3600)
                """
            let result = try await user.shell("/usr/bin/python3 -c '\(program)'")
            let token = try #require(try await user.storedToken()).accessToken
            #expect(result.output == "\(token) bearer read write True\n", "\(result.errors)")
        }
    }

    @Test func `--lasting refreshes a token that ends before`() async throws {
        try await User.with { user in
            try await user.login()
            try await user.setToken(remaining: 240, in: user.store())
            #expect(try await user.run("token", user.url, "--lasting", "3m").status == 0)
            #expect(try await user.server.counts().refreshes == 0)
            #expect(try await user.run("token", user.url, "--lasting", "5m").status == 0)
            #expect(try await user.server.counts().refreshes == 1)
            #expect(try await user.run("token", user.url, "--lasting", "soon").status == 64)
        }
    }

    @Test func `each command that gives out a token takes --lasting`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            try await server.login(server.url)
            let place = "protocol=http\nhost=\(server.base.dropFirst(7))\npath=mcp\n"
            var last = "t1"
            for command in [
                "header \(server.url) --lasting 2h",
                "exec \(server.url) --env TOKEN --lasting 2h -- sh -c 'echo $TOKEN'",
                "token --format git --lasting 2h get <<<'\(place)'",
            ] {
                let result = try await server.shell("authorize \(command)").result()
                let token = result.output.firstMatch(of: /t[0-9]+/).map { String($0.output) }
                #expect(result.status == 0 && token != nil && token != last, "\(command): \(result)")
                last = token ?? last
            }
        }
    }

    @Test func `a command that a signal ends first stores its refresh`() async throws {
        var refreshed = Scripted.Answer.page(
            #"{"access_token":"kept","token_type":"Bearer","expires_in":3600,"refresh_token":"r2"}"#)
        refreshed.until = "GET"
        try await Scripted.with(["refresh": [refreshed]], isGuarded: true) { server in
            try await server.login(server.url)
            let token = try server.start("token", server.url, "--lasting", "2h")
            _ = try await server.seen("refresh")
            token.send(SIGTERM)
            try await User.allow(server.base + "/go-on")
            #expect(try await token.result().status == -SIGTERM)
            #expect(try await server.start("token", server.url).result().output == "kept\n")
        }
    }

    @Test func `a second signal ends a command at once`() async throws {
        var never = Scripted.Answer()
        never.until = "never"
        try await Scripted.with(["refresh": [never]], isGuarded: true) { server in
            try await server.login(server.url)
            let token = try server.start("token", server.url, "--lasting", "2h")
            _ = try await server.seen("refresh")
            token.send(SIGINT)
            token.send(SIGTERM)
            let result = try await token.result()
            #expect([-SIGINT, -SIGTERM].contains(result.status) && result.errors.isEmpty, "\(result)")
        }
    }

    @Test func `kubectl gets the version that it names, and a new token if it asks again at once`() async throws {
        try await User.with { user in
            try await user.login()
            func ask(_ version: String?) async throws -> Program.Result {
                let info = version.map { #"{"kind":"ExecCredential","apiVersion":"\#($0)","spec":{}}"# }
                return try await user.run(
                    "token", user.url, "--format", "kubectl",
                    environment: info.map { ["KUBERNETES_EXEC_INFO": $0] } ?? [:])
            }
            struct Answer: Decodable {
                struct Status: Decodable { let token: String, expirationTimestamp: Date }
                let apiVersion: String, kind: String, status: Status
            }
            func read(_ result: Program.Result) throws -> Answer {
                let decoder = JSONDecoder()
                decoder.dateDecodingStrategy = .iso8601
                return try decoder.decode(Answer.self, from: Data(result.output.utf8))
            }
            let first = try read(try await ask(nil))
            #expect(first.apiVersion == "client.authentication.k8s.io/v1" && first.kind == "ExecCredential")
            #expect((3500...3600).contains(first.status.expirationTimestamp.timeIntervalSinceNow))
            let second = try read(try await ask("client.authentication.k8s.io/v1beta1"))
            #expect(second.apiVersion == "client.authentication.k8s.io/v1beta1")
            #expect(first.status.token != second.status.token)
            #expect(try await user.server.counts().refreshes == 1)
            // Another program has not seen the token yet.
            let other = try await user.shell("authorize token \(user.url) --format kubectl; true")
            #expect(try read(other).status.token == second.status.token)
            let unknown = try await ask("client.authentication.k8s.io/v1alpha1")
            #expect(unknown.status == 78 && unknown.output == "")
        }
    }

    @Test func `a bound token comes with a warning, or not at all`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            func run(_ command: String) async throws -> Program.Result {
                try await server.shell("authorize \(command)").result()
            }
            let text = [
                "token \(server.url)", "token \(server.url) --format json",
                "exec \(server.url) --env TOKEN -- sh -c 'echo $TOKEN'",
            ]
            try await server.login(server.url)
            for command in text {
                let plain = try await run(command)
                #expect(plain.status == 0 && plain.errors.isEmpty, "\(command): \(plain)")
            }
            try await server.login(server.url, "--dpop")
            for command in text {
                let bound = try await run(command)
                #expect(bound.status == 0 && bound.errors.hasPrefix("The token is bound to a key"), "\(bound)")
                #expect(bound.errors.split(separator: "\n").count == 1, "\(bound)")
                if command.hasSuffix("json") {
                    let answer = try JSONDecoder().decode([String: String].self, from: Data(bound.output.utf8))
                    #expect(answer["token_type"] == "DPoP")
                } else {
                    #expect(bound.output == "t2\n", "\(command): \(bound)")
                }
            }
            let place = "protocol=http\nhost=\(server.base.dropFirst(7))\npath=mcp\n"
            for command in ["token \(server.url) --format kubectl", "token --format git get <<<'\(place)'"] {
                let refused = try await run(command)
                #expect(refused.status == 1 && refused.output.isEmpty, "\(command): \(refused)")
                #expect(refused.errors.contains("this format cannot carry its proof"), "\(command): \(refused)")
            }
            let header = try await run("header \(server.url)")
            #expect(header.status == 0 && header.errors.isEmpty, "\(header)")
        }
    }

    @Test func `kubectl gets its credential also where nothing can be saved`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            try await server.login(server.url)
            let result = try await server.shell(
                "trap '' XFSZ; ulimit -f 0; exec authorize token \(server.url) --format kubectl"
            ).result()
            #expect(result.status == 0 && result.output.contains(#""token":"t1""#), "\(result)")
        }
    }

    @Test func `kubectl gets another token after a refusal, also if a second kubectl has asked since`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            try await server.login(server.url)
            let ask = "authorize token \(server.url) --format kubectl"
            let first = try server.shell("\(ask); echo; read -r _; \(ask); true")
            #expect(try await first.line().contains(#""token":"t1""#))
            // It has noted what it said.
            #expect(try await first.line().isEmpty)
            let second = try await server.shell("\(ask); true").result()
            #expect(second.output.contains(#""token":"t1""#), "\(second)")
            try first.say("\n")
            #expect(try await first.line().contains(#""token":"t2""#))
        }
    }

    @Test func `a program with two clusters below one session refreshes nothing`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            try await server.login(server.url)
            let result = try await server.shell(
                "for url in \(server.url)/a \(server.url)/b; do authorize token $url --format kubectl; done; true"
            ).result()
            let tokens = result.output.split(separator: "\n").filter { $0.contains(#""token":"t1""#) }
            #expect(tokens.count == 2, "\(result)")
        }
    }

    @Test func `a sign-out removes what was noted for kubectl`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            try await server.login(server.url)
            let result = try await server.shell(
                """
                cd ~/swift-request-authorization; authorize token \(server.url) --format kubectl >/dev/null
                ls *printed* && authorize logout \(server.url) && ! ls *printed*
                """
            ).result()
            #expect(result.status == 0, "\(result)")
        }
    }

    @Test func `kubectl itself is authorized`() async throws {
        try await User.with { user in
            try await Guarded.with(user) { guarded in
                let config = user.home + "/kubeconfig"
                let secure = try String(contentsOfFile: guarded.folder + "/secure", encoding: .utf8)
                try """
                apiVersion: v1
                kind: Config
                current-context: c
                contexts: [{name: c, context: {cluster: k, user: u}}]
                clusters: [{name: k, cluster: {server: "\(secure)", insecure-skip-tls-verify: true}}]
                users:
                - name: u
                  user:
                    exec:
                      apiVersion: client.authentication.k8s.io/v1beta1
                      command: \(Program.authorize)
                      args: [token, "\(guarded.base)/", --format, kubectl]
                """.write(toFile: config, atomically: true, encoding: .utf8)
                let result = try await user.shell("kubectl --kubeconfig \(config) get --raw /api")
                #expect(result.output.contains(#""path": "/api""#), "\(result.errors)")
                #expect(Set(try await guarded.seen()) == ["Bearer accepted"])
            }
        }
    }

    @Test func `git clones and pushes, and a refused password is refreshed`() async throws {
        try await User.with { user in
            try await Guarded.with(user) { guarded in
                _ = try await Command.run(["git", "init", "-q", "--bare", guarded.folder + "/repository.git"])
                _ = try await Command.run([
                    "git", "-C", guarded.folder + "/repository.git", "config", "http.receivepack", "true",
                ])
                let settings = [
                    "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_COUNT": "3",
                    "GIT_CONFIG_KEY_0": "credential.\(guarded.base).helper",
                    "GIT_CONFIG_VALUE_0": "!authorize token --format git",
                    "GIT_CONFIG_KEY_1": "user.name", "GIT_CONFIG_VALUE_1": "A",
                    "GIT_CONFIG_KEY_2": "user.email", "GIT_CONFIG_VALUE_2": "a@example.com",
                ]
                let copy = user.home + "/copy"
                let cloned = try await user.shell(
                    """
                    git clone -q \(guarded.base)/repository.git \(copy) && cd \(copy) && echo 1 >a && git add a \
                    && git commit -q -m a && git push -q origin HEAD
                    """, environment: settings)
                #expect(cloned.status == 0, "\(cloned.errors)")
                #expect(Set(try await guarded.seen()) == ["Basic accepted"])
                // The server forgets the token. Git says so with `erase`, and asks anew with the next command.
                let before = try await user.server.counts().refreshes
                try await user.server.expireTokens()
                #expect(try await user.shell("git -C \(copy) fetch -q", environment: settings).status != 0)
                #expect(try await user.server.counts().refreshes == before + 1)
                let fetched = try await user.shell("git -C \(copy) fetch -q", environment: settings)
                #expect(fetched.status == 0, "\(fetched.errors)")
            }
        }
    }

    @Test func `git gets Bearer where it can send one, and nothing for other servers`() async throws {
        try await User.with { user in
            try await user.login()
            let token = try #require(try await user.storedToken()).accessToken
            let host = user.server.base.dropFirst(7)
            func ask(_ words: String..., input: String) async throws -> Program.Result {
                try await user.start(["token", "--format", "git"] + words, input: input).result()
            }
            let place = "protocol=http\nhost=\(host)\npath=mcp\n"
            let basic = try await ask("get", input: place + "username=me\n\n")
            #expect(basic.output.hasPrefix("username=me\npassword=\(token)\npassword_expiry_utc="))
            let bearer = try await ask("get", input: place + "capability[]=authtype\n\n")
            #expect(bearer.output.hasPrefix("capability[]=authtype\nauthtype=Bearer\ncredential=\(token)\nephemeral=1"))
            let other = try await ask("https://git.example/", "get", input: place)
            #expect(other.status == 0 && other.output == "")
            let unknown = "protocol=https\nhost=git.example\n\n"
            #expect(try await ask("get", input: unknown).status == 77)
            // A helper ignores operations that it does not know (gitcredentials).
            let ignored = try await ask("other", input: unknown)
            #expect(ignored.status == 0 && ignored.output.isEmpty && ignored.errors.isEmpty, "\(ignored)")
            // A password that is not the token's changes nothing, and neither does `store`.
            for (word, password) in [("erase", "wrong"), ("store", token)] {
                #expect(try await ask(word, input: place + "password=\(password)\n\n").status == 0)
            }
            #expect(try await user.server.counts().refreshes == 0)
            #expect(try await ask("erase", input: place + "password=\(token)\n\n").status == 0)
            #expect(try await user.server.counts().refreshes == 1)
            #expect(try await user.list().count == 1)
        }
    }

    /// Found by fuzzing: a carriage return and a line feed are one character.
    @Test(arguments: ["\n", "\r\n"])
    func `an empty line ends the input of git, also if it stays open`(end: String) async throws {
        try await Scripted.with(isGuarded: true) { server in
            try await server.login(server.url)
            let helper = try server.start("token", "--format", "git", "get")
            let lines = ["protocol=http", "host=\(server.base.dropFirst(7))", "path=mcp", "", ""]
            try helper.say(lines.joined(separator: end))
            #expect(await helper.status() == 0)
            #expect(try await helper.line() == "username=oauth2")
            #expect(try await helper.line() == "password=t1")
        }
    }

    @Test func `results that cannot be written are a failure`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            try await server.login(server.url)
            for command in ["token \(server.url)", "header \(server.url)", "list --json", "explain \(server.url)"] {
                let full = try await server.shell("authorize \(command) >/dev/full").result()
                #expect(full.status == 74 && full.errors.contains("cannot be written"), "\(command): \(full)")
                // The reader has gone when the command begins.
                let unread = try await server.shell(
                    "exec 3> >(true); wait $!; authorize \(command) >&3\necho $?"
                ).result()
                #expect(unread.output == "\(128 + SIGPIPE)\n" && unread.errors.isEmpty, "\(command): \(unread)")
            }
            let bridge = try server.shell("exec authorize mcp \(server.url) >/dev/full")
            try bridge.say(BridgeTests.initialize)
            #expect(await bridge.status() == 74)
        }
    }
}

/// A server that accepts the tokens of a FastMCP, and a session for it.
struct Guarded {
    let base: String
    let folder: String

    static func with(_ user: User, _ body: (Guarded) async throws -> Void) async throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../guarded_server.py").path
        let folder = user.home + "/guarded"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let program = try Program("/usr/bin/python3", [script, folder, user.url], environment: ["HOME": folder])
        #expect(try await program.line() == "listening")
        let guarded = Guarded(
            base: try String(contentsOfFile: folder + "/address", encoding: .utf8), folder: folder)
        do {
            try await user.login("--issuer", user.server.base + "/", "--scope", "read", url: guarded.base + "/")
            try await body(guarded)
        } catch {
            _ = try await program.result()
            throw error
        }
        _ = try await program.result()
    }

    func seen() async throws -> [String] {
        try await Command.run(["curl", "-s", base + "/seen"]).split(separator: "\n").map(String.init)
    }
}
