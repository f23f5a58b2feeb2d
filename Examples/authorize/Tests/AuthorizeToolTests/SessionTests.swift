// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationOAuth
import TestServers
import Testing

@testable import AuthorizeTool

@Suite(.enabled(if: FastMCP.isThere, Comment(rawValue: FastMCP.how)), .timeLimit(.minutes(5)))
struct SessionTests {
    @Test func `from a URL to a session, a listing without secrets, and a revocation`() async throws {
        try await User.with { user in
            let login = try await user.login()
            #expect(login.errors.contains("guards \(user.url), and is asked for: read write"))
            let token = try #require(try await user.storedToken())
            let sessions = try await user.list()
            #expect(
                sessions.map(\.url) == [user.url] && sessions[0].account == "me"
                    && sessions[0].scopes == ["read", "write"])
            for command in [["list"], ["list", "--json"]] {
                let output = try await user.start(command).result().output
                #expect(output.contains(user.url))
                #expect(!output.contains(token.accessToken) && !output.contains(token.refreshToken ?? "?"))
            }
            let logout = try await user.run("logout", user.url + "/tools")
            #expect(logout.status == 0 && logout.errors.contains("Signed out of \(user.url)"))
            #expect(try await user.list().isEmpty)
            #expect(try await user.server.counts().revocations > 0)
            let header = try await user.run("header", user.url)
            #expect(header.status == 77)
        }
    }

    @Test func `all but login end with 77 and name login, and open nothing`() async throws {
        try await User.with { user in
            for command in [
                ["header", user.url], ["token", user.url], ["token", user.url, "--format", "kubectl"],
                ["exec", user.url, "--env", "TOKEN", "--", "/bin/true"],
            ] {
                let result = try await user.start(command).result()
                #expect(result.status == 77, "\(command)")
                #expect(result.output == "" && result.errors.contains("authorize login \(user.url)"))
            }
            #expect(try await user.server.counts() == FastMCP.Counts())
        }
    }

    @Test func `twenty sign-ins at a time: one page, one registration, one session`() async throws {
        try await User.with { user in
            let first = try user.start(["login", user.url, "--no-browser"])
            let page = try await first.page()
            let others = try (0..<19).map { _ in try user.start(["login", user.url, "--no-browser"]) }
            for other in others {
                let line = try await other.error(with: "has been signing in here since")
                #expect(line.contains("Process \(first.id) "))
            }
            try await User.allow(page)
            for program in [first] + others {
                let result = try await program.result()
                #expect(result.status == 0, "\(result.errors)")
                #expect(program === first || !result.errors.contains("Open this page"))
            }
            #expect(try await user.server.counts() == FastMCP.Counts(registrations: 1, authorizations: 1, codes: 1))
        }
    }

    @Test func `a bound sign-in takes over no session without a key`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            let plain = try server.start("login", server.url, "--no-browser")
            let page = try await plain.page()
            let bound = try server.start("login", server.url, "--no-browser", "--dpop")
            _ = try await bound.error(with: "has been signing in here since")
            try await User.allow(page)
            #expect(try await plain.result().status == 0)
            try await User.allow(try await bound.page())
            let result = try await bound.result()
            #expect(result.status == 0, "\(result.errors)")
            let header = try await server.start("header", server.url).result()
            #expect(header.output.contains("Authorization: DPoP t2\n"), "\(header)")
        }
    }

    @Test func `Ctrl-Z ends a sign-in, and the next one begins at once`() async throws {
        try await User.with { user in
            let first = try user.start(["login", user.url, "--no-browser"])
            _ = try await first.page()
            first.send(SIGTSTP)
            let result = try await first.result()
            #expect(result.status == 75 && result.errors.contains("authorize login \(user.url)"))
            let next = try await user.login()
            #expect(!next.errors.contains("has been signing in"))
        }
    }

    @Test func `Ctrl-Z after another signal ends a sign-in too`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            // The report is more than a pipe holds, so the sign-in has not ended after the first signal.
            let shell = try server.shell(
                """
                set -m; cd; mkfifo out; exec 3<>out
                authorize login \(server.url) --no-browser --account $(printf '%070000d' 1) >out & head -c 1 out
                kill -TERM $!; kill -TSTP $!; wait $!; echo $?; kill -KILL $!
                """)
            try await User.allow(try await shell.page())
            #expect(try await shell.line() == "h\(128 + SIGTERM)")
        }
    }

    @Test(arguments: ["-tostop", "tostop"])
    func `a sign-in in the background of a terminal asks nothing, and is not stopped`(setting: String) async throws {
        try await Scripted.with(isGuarded: true) { server in
            // The processes of a test begin with most signals blocked.
            let login = "env --default-signal=TTOU authorize login \(server.url) --no-browser"
            let terminal = try server.shell(
                """
                exec python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' bash -c \
                    'stty \(setting); set -m; \(login) & wait $!; echo status $?'
                """)
            var line = ""
            repeat { line = try await terminal.line() } while !line.contains("/authorize?")
            try await User.allow(line.trimmingCharacters(in: .newlines))
            repeat { line = try await terminal.line() } while !line.hasPrefix("status")
            #expect(line == "status 0\r")
        }
    }

    @Test func `an address cannot be pasted in the background of a terminal, and nothing is stopped`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            let terminal = try server.shell(
                """
                exec python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' bash -c \
                    'set -m; authorize login \(server.url) --paste & wait $!; echo status $?'
                """)
            var line = ""
            repeat { line = try await terminal.line() } while !line.hasPrefix("status")
            #expect(line == "status 64\r")
        }
    }

    @Test func `Ctrl-C and Ctrl-Z are not for the browser that a sign-in opens`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            // Its process group is its own one. A terminal's signals go to the tool's.
            let login = try await server.shell(
                #"""
                cd; cat >xdg-open <<'END'
                #!/bin/sh
                cut -d ' ' -f 5 /proc/$$/stat >group; echo $$ >id; exec curl -sSL "$1"
                END
                chmod 700 xdg-open; DISPLAY=:0 PATH=$PWD:$PATH authorize login \#(server.url) && cmp id group
                """#
            ).result()
            #expect(login.status == 0, "\(login)")
        }
    }

    @Test func `a browser that a sign-in starts does not keep the port of the callback`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            let login = try await server.shell(
                #"""
                cd; cat >xdg-open <<'END'
                #!/bin/sh
                readlink /proc/$$/fd/* >files; exec curl -sSL "$1"
                END
                chmod 700 xdg-open; DISPLAY=:0 PATH=$PWD:$PATH authorize login \#(server.url) || exit
                grep -q null files && ! grep socket files
                """#
            ).result()
            #expect(login.status == 0, "\(login)")
        }
    }

    @Test func `accounts are apart and share one registration; the longest URL counts`() async throws {
        try await User.with { user in
            try await user.login()
            try await user.login("--account", "work")
            let (mine, work) = (try await user.storedToken(), try await user.storedToken(account: "work"))
            #expect(mine?.accessToken != work?.accessToken)
            #expect(try await user.run("token", user.url).output == "\(mine?.accessToken ?? "")\n")
            #expect(
                try await user.run("token", user.url + "/a?b", "--account", "work").output
                    == "\(work?.accessToken ?? "")\n")
            #expect(try await user.server.counts().registrations == 1)
            // Neither a sibling path nor another host nor a path that leaves it is below.
            for other in [user.url + "s", user.url + "/../x", user.url.replacing("127.0.0.1", with: "127.0.0.2")] {
                let beside = try await user.run("header", other)
                #expect(beside.status == 77 && beside.output.isEmpty, "\(other): \(beside)")
            }
        }
    }

    @Test func `after a sign-out a URL belongs to the next one above it`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            try await server.login(server.base + "/")
            try await server.login(server.url)
            #expect(try await server.start("token", server.url).result().output == "t2\n")
            #expect(try await server.start("logout", server.url).result().status == 0)
            #expect(try await server.start("token", server.url).result().output == "t1\n")
            #expect(try await server.start("logout", server.url).result().status == 0)
            #expect(try await server.start("token", server.url).result().status == 77)
        }
    }

    @Test func `a sign-out that cannot be stored is a failure that says why, and nothing else is said`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            try await server.login(server.url)
            let result = try await server.shell(
                "trap '' XFSZ; ulimit -f 0; exec authorize logout \(server.url) --force"
            ).result()
            #expect(result.status == 74 && !result.errors.contains("Signed out"), "\(result)")
            #expect(result.errors.contains("or its end, could not be saved"), "\(result)")
            #expect(result.errors.contains("File too large"), "\(result)")
            #expect(try await server.start("token", server.url).result().output == "t1\n")
        }
    }

    @Test func `a sign-out of which the server is not told keeps the session, unless it is forced`() async throws {
        try await Scripted.with(isGuarded: true, environment: ["REVOCATION": "http://127.0.0.1:9/"]) { server in
            try await server.login(server.url)
            let refused = try await server.start("logout", server.url).result()
            #expect(refused.status == 69 && refused.errors.contains("add --force"), "\(refused)")
            #expect(try await server.start("token", server.url).result().output == "t1\n")
            let forced = try await server.start("logout", server.url, "--force").result()
            #expect(forced.status == 0 && forced.errors.contains("The server was not told"), "\(forced)")
            #expect(try await server.start("token", server.url).result().status == 77)
        }
    }

    @Test func `a session that the server has ended hides the one above until a sign-out`() async throws {
        try await User.with { user in
            try await user.login("--issuer", user.server.base + "/", url: user.server.base + "/")
            try await user.login()
            try await user.server.revokeTokens()
            try await user.expireToken()
            for _ in 1...2 { #expect(try await user.run("token", user.url).status == 77) }
            #expect(try await user.run("logout", user.url).errors.contains("You were not signed in"))
            #expect(try await user.run("token", user.url).status == 0)
        }
    }

    @Test func `a key file encrypts what is kept, and is needed from then on`() async throws {
        try await User.with { user in
            let key = user.home + "/key"
            #expect(try await user.run("list", "--key-from", key).status == 78)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: user.home)
            #expect(try await user.run("list", "--key-from", user.home).status == 78)
            let isWritten = FileManager.default.createFile(
                atPath: key, contents: Data((0..<32).map { _ in .random(in: 0...255) }),
                attributes: [.posixPermissions: 0o600])
            #expect(isWritten)
            try await user.login("--key-from", key)
            let token = try await user.run("token", user.url, "--key-from", key)
            #expect(token.status == 0)
            let secret = token.output.trimmingCharacters(in: .newlines)
            let folder = user.home + "/swift-request-authorization"
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names.contains { $0.hasSuffix(".token") })
            for name in names {
                let text = String(decoding: try Data(contentsOf: URL(filePath: "\(folder)/\(name)")), as: UTF8.self)
                #expect(!text.contains(secret) && !text.contains("refresh_token") && !text.contains("client_secret"))
            }
            let without = try await user.run("token", user.url)
            #expect(without.status == 74 && without.errors.contains("--key-from") && without.output == "")
            #expect(try await user.run("list").output.contains("cannot be read"))
        }
    }

    @Test func `a key may come through a pipe`() async throws {
        try await Scripted.with(isGuarded: true, environment: ["DEVICES": "1"]) { server in
            let result = try await server.shell(
                """
                cd; head -c 32 /dev/urandom >key; chmod 600 key
                authorize login \(server.url) --device --key-from key >/dev/null
                authorize list --key-from <(cat key)
                """
            ).result()
            #expect(result.status == 0 && result.output.contains("\(server.url)  (me)"), "\(result)")
        }
    }

    @Test func `the advice for a lost key leads to a new session`() async throws {
        try await Scripted.with(isGuarded: true, environment: ["DEVICES": "1"]) { server in
            let result = try await server.shell(
                """
                cd; umask 077; login="authorize login \(server.url) --device --key-from key"
                head -c 32 /dev/urandom >key; $login >/dev/null
                rm key; $login; echo $?
                head -c 32 /dev/urandom >key; $login 2>advice; echo $?
                rm $(sed -En 's|.*the files (.*) in (.*), and .*|\\2/\\1|p' advice)
                $login >/dev/null; echo $?
                """
            ).result()
            #expect(result.output == "78\n74\n0\n", "\(result)")
            #expect(result.errors.contains("Pass that of your sessions"), "\(result)")
        }
    }

    @Test func `the advice for sessions without a key is to leave the key out`() async throws {
        try await Scripted.with(isGuarded: true, environment: ["DEVICES": "1"]) { server in
            let result = try await server.shell(
                """
                cd; umask 077; head -c 32 /dev/urandom >key; authorize login \(server.url) --device >/dev/null
                authorize token \(server.url) --key-from key
                """
            ).result()
            #expect(result.status == 74 && result.errors.contains("or leave it out"), "\(result)")
        }
    }

    @Test func `the advice has the whole path of a key`() async throws {
        try await Scripted.with { server in
            let result = try await server.shell(
                """
                cd; umask 077; head -c 32 /dev/urandom >key; pwd -P
                authorize header \(server.url) --key-from key
                """
            ).result()
            let folder = result.output.trimmingCharacters(in: .newlines)
            #expect(result.status == 77 && result.errors.contains("--key-from \(folder)/key\n"), "\(result)")
        }
    }

    @Test func `explain makes the requests of a sign-in that carry nothing, and says what follows`() async throws {
        try await User.with { user in
            let result = try await user.run("explain", user.url)
            #expect(result.status == 0, "\(result.errors)")
            for line in [
                "GET \(user.server.base)/.well-known/oauth-protected-resource/mcp: 200", "guards \(user.url)",
                "asked for: read write", "then: POST \(user.server.base)/register",
                "\(user.server.base)/authorize in the browser", "then: POST \(user.server.base)/token",
            ] { #expect(result.output.contains(line), "\(line) in \(result.output)") }
            #expect(try await user.server.counts() == FastMCP.Counts())
            let nobody = try await user.run("explain", "http://127.0.0.1:9/x", "--json")
            #expect(nobody.status == 65 && nobody.output.contains("unreachable"))
        }
    }

    @Test func `explain sends no credential, also if there is a session`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            try await server.login(server.url)
            #expect(try await server.start("explain", server.url).result().status == 0)
            try await User.allow(server.base + "/end")
            #expect(try await server.seen() == "GET - - ")
        }
    }

    @Test func `a client id metadata document is the client, without a registration`() async throws {
        let document = "https://app.example/client.json"
        try await Scripted.with(isGuarded: true, environment: ["DOCUMENTS": "1"]) { server in
            let explained = try await server.start("explain", server.url, "--client-document", document).result()
            #expect(explained.status == 0 && !explained.output.contains("/register"), "\(explained)")
            let login = try server.start(
                "login", server.url, "--no-browser", "--json", "--client-document", document)
            try await User.allow(try await login.page())
            let result = try await login.result()
            #expect(result.status == 0, "\(result)")
            let sessions = try JSONDecoder().decode([User.Listed].self, from: Data(result.output.utf8))
            #expect(sessions.map(\.client) == [document])
        }
    }

    @Test func `a code for another device needs no PKCE`() async throws {
        try await Scripted.with(isGuarded: true, environment: ["DEVICES": "1"]) { server in
            let browser = try await server.start("login", server.url, "--no-browser").result()
            #expect(browser.status == 65 && browser.errors.contains("PKCE"), "\(browser)")
            let device = try await server.start("login", server.url, "--device").result()
            #expect(device.status == 0 && device.errors.contains("ABCD"), "\(device)")
            #expect(try await server.start("token", server.url).result().output == "t1\n")
        }
    }

    @Test func `a pasted address has the port of the client`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            let login = try server.start("login", server.url, "--paste", "--port", "4321")
            #expect(try await login.page().contains("%2F%2F127.0.0.1%3A4321%2Fcallback"))
            #expect(try await login.result().status == 77)
        }
    }

    @Test func `a pasted address has a path for an issuer that does not name itself`() {
        let receiver = PastedCallback(port: 0).dedicated(to: "https://id.example")
        let other = PastedCallback(port: 0).dedicated(to: "https://id.example/")
        #expect(receiver.redirectURI.hasPrefix("http://127.0.0.1:8766/callback/"))
        #expect(receiver.redirectURI != other.redirectURI)
        // An earlier sign-in of the same issuer may have used another port, and a browser on this machine.
        let (plain, earlier) = ("http://127.0.0.1:4321/callback", "http://127.0.0.1:4321/callback/47DEQpj8HBSa")
        #expect(receiver.preferring(plain).redirectURI == receiver.redirectURI)
        #expect(receiver.preferring(earlier).redirectURI == earlier)
        #expect(PastedCallback(port: 0).preferring(plain).redirectURI == plain)
    }

    @Test func `a secret without its client is an error of the command line`() async throws {
        try await Scripted.with { server in
            let login = try await server.start("login", "http://127.0.0.1:9/x", "--client-secret-file", "f").result()
            #expect(login.status == 64 && login.errors.contains("needs --client,"), "\(login)")
        }
    }

    @Test(arguments: [
        "header URL", "token URL", "exec URL --env TOKEN -- true", "mcp URL", "logout URL", "login URL",
    ]) func `a text that is no URL is an error of the command line`(command: String) async throws {
        try await Scripted.with { server in
            let result = try await server.shell("authorize \(command)").result()
            #expect(result.status == 64 && result.errors.contains("'URL' is no URL"), "\(result)")
        }
    }

    @Test func `a path of a secret leads through symbolic links`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            let words = "--no-browser --issuer \(server.base) --client c --client-secret-file link/../secret"
            let login = try server.shell(
                "cd; mkdir -p a/b; ln -s a/b link; echo s >a/secret; exec authorize login \(server.url) \(words)")
            try await User.allow(try await login.page())
            #expect(try await login.result().status == 0)
        }
    }

    @Test func `a line that nobody enters is not waited for`() async throws {
        // This process reads nothing else.
        let input = Pipe()
        dup2(input.fileHandleForReading.fileDescriptor, STDIN_FILENO)
        #expect(await StandardInput.line(within: .milliseconds(50)) == nil)
        try input.fileHandleForWriting.close()
    }

    @Test func `a session that another process keeps locked can be had later`() {
        let failure = ToolFailure(TokenStoreError(.timedOut, "another process has locked it"), login: "")
        #expect(failure.status == .tryLater)
    }

    @Test func `advice can be pasted into a shell`() throws {
        let tool = try Tool(account: "~root")
        let advice = #"authorize login 'https://h.example/it'\''s' --account '~root'"#
        #expect(tool.login("https://h.example/it's") == advice)
        #expect(try Tool().login("") == "authorize login ''")
        // The program takes a word with a hyphen first for an option.
        #expect(try Tool(account: "-me").login("URL") == "authorize login URL '--account=-me'")
        var options = SignInOptions()
        (options.scopes, options.issuer, options.client) = (["a", "-b"], "https://id.example/", "it's")
        (options.secretFile, options.document) = ("/a b", "https://app.example/client.json")
        (options.port, options.opensBrowser) = (4321, false)
        (options.pastes, options.usesDevice, options.isBound) = (true, true, true)
        let words = [
            advice, "'--scope=-b' --scope a --issuer https://id.example/", #"--client 'it'\''s'"#,
            "--client-secret-file '/a b' --client-document https://app.example/client.json --port 4321",
            "--no-browser --paste --device --dpop",
        ]
        #expect(tool.login("https://h.example/it's", as: options) == words.joined(separator: " "))
    }

    @Test func `a scope that a server demands runs nothing in a shell`() throws {
        var options = SignInOptions()
        // Each mark makes one character with the quote before it.
        options.scopes = ["a'\u{301};id;'", "b'\u{200D};id;'"]
        let words = #"--scope 'a'\''\#u{301};id;'\''' --scope 'b'\''\#u{200D};id;'\'''"#
        #expect(try Tool().login("URL", as: options) == "authorize login URL \(words)")
    }

    @Test func `the advice has the URL and the words of the last sign-in, until a sign-out`() async throws {
        try await User.with { user in
            let issuer = user.server.base + "/"
            try await user.login("--issuer", issuer, "--scope", "read")
            try await user.server.revokeTokens()
            try await user.expireToken()
            // The first one learns that the session has ended.
            for command in [
                ["header", user.url], ["token", user.url], ["exec", user.url, "--env", "TOKEN", "--", "/bin/true"],
                ["header", user.url + "/tools"],
            ] {
                let result = try await user.start(command).result()
                let advice = "authorize login \(user.url) --scope read --issuer \(issuer) --no-browser\n"
                #expect(result.status == 77 && result.errors.contains(advice), "\(command): \(result)")
            }
            #expect(try await user.run("logout", user.url).status == 0)
            let header = try await user.run("header", user.url)
            #expect(header.status == 77 && header.errors.contains("authorize login \(user.url)\n"), "\(header)")
        }
    }

    @Test func `a sign-in says that it waits at a terminal, and nowhere else`() async throws {
        try await User.with { user in
            let piped = try await user.login()
            #expect(!piped.errors.contains("Waiting for"), "\(piped)")
            let terminal = try Terminal()
            let login = try Program(
                Program.authorize, ["login", user.url, "--no-browser"], environment: user.environment,
                terminal: terminal.inside)
            try terminal.inside.close()
            _ = try await terminal.line(with: "[Y/n]")
            try terminal.type("")
            let page = try await terminal.line(with: "/authorize?")
            _ = try await terminal.line(with: "Waiting for your answer there; Ctrl-C gives up.")
            try await User.allow(page)
            #expect(try await login.result().status == 0)
        }
    }

    @Test func `the help names the commands and the exit codes`() async throws {
        try await Scripted.with { server in
            let help = try await server.start("--help").result()
            let commands = ["login", "header", "token", "exec", "mcp", "explain", "list", "logout"].map { "  \($0) " }
            for text in commands + ["  75  try again later", "  77  a person is needed"] {
                #expect(help.status == 0 && help.output.contains(text), "\(text) in \(help)")
            }
        }
    }

    @Test func `a pasted address signs in, at a terminal`() async throws {
        try await User.with { user in
            let terminal = try Terminal()
            let login = try Program(
                Program.authorize, ["login", user.url, "--paste"], environment: user.environment,
                terminal: terminal.inside)
            try terminal.inside.close()
            _ = try await terminal.line(with: "[Y/n]")
            try terminal.type("y")
            let page = try await terminal.line(with: "/authorize?")
            let address = try await Redirect.target(of: page)
            _ = try await terminal.line(with: "Paste that address")
            try terminal.type("http://127.0.0.1:8766/callback?code=wrong&state=wrong")
            _ = try await terminal.line(with: "not the address of this sign-in")
            try terminal.type(address)
            #expect(try await login.result().status == 0)
            #expect(try await user.list().count == 1)
        }
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")),
        arguments: [(["--device"], ["DISPLAY": ":0"]), ([], [:])])
    func `a code that is entered on another device signs in, by itself where there is no display`(
        options: [String], display: [String: String]
    ) async throws {
        try await User.with { user in
            let server = try await PythonServer(script: "authlib_server.py", python: "/usr/bin/python3")
            defer { server.end() }
            let url = server.base + "/api"
            let login = try user.start(
                ["login", url, "--issuer", server.base, "--client", "native", "--scope", "read"] + options,
                environment: display)
            let line = try await login.error(with: "enter the code")
            let code = try #require(line.firstMatch(of: /the code ([A-Z-]+)\./)?.1)
            try await User.allow("\(server.base)/device?user_code=\(code)")
            let result = try await login.result()
            #expect(result.status == 0, "\(result.errors)")
            #expect(try await user.list().map(\.scopes) == [["read"]])
            #expect(try await user.run("header", url).output.hasPrefix("Authorization: Bearer "))
        }
    }
}
