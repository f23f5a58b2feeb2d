// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import AuthorizeTool
import Foundation

/// The credential broker: signs in to servers, and gives other programs tokens that are valid.
@main struct Authorize: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authorize", abstract: "Gives other programs valid tokens of servers that you have signed in to.",
        discussion: """
            Sign in once; from then on every program of yours asks this one:

              authorize login https://notes.example/mcp
              authorize header https://notes.example/mcp | curl -H @- https://notes.example/mcp/notes
              authorize exec https://notes.example/mcp --env NOTES_TOKEN -- notes-tool

            Programs that run at the same time refresh a token once. Only `login` opens a page or waits for you. \
            If a person is needed, `header`, `token` and `exec` end with 77 and say what to run; `mcp` answers the \
            request with an error that says so. `list`, `explain` and `logout` need no session.

            Exit codes:
            \(ExitStatus.allCases.map { "  \($0.rawValue)\($0.rawValue < 10 ? "   " : "  ")\($0.meaning)" }.joined(separator: "\n"))
            """,
        subcommands: [
            LoginCommand.self, HeaderCommand.self, TokenCommand.self, ExecCommand.self, MCPCommand.self,
            ExplainCommand.self, ListCommand.self, LogoutCommand.self,
        ])
}

/// The options of all commands.
struct ToolOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The account, to keep several sessions for a URL apart.", valueName: "name"))
    var account = Tool.defaultAccount

    @Option(
        help: ArgumentHelp(
            "Encrypt sessions with the 32 bytes of this file, which only you can read; `keyring` stands for a key in the desktop's keyring.",
            valueName: "file"))
    var keyFrom: String?

    /// Runs a command, and writes its failure to standard error.
    func run(json: Bool = false, _ body: (Tool) async throws -> Void) async throws {
        Output.prepare()
        do {
            let keyFile = keyFrom.map { $0 == "keyring" ? $0 : wholePath($0) }
            try await body(Tool(account: account, keyFile: keyFile, json: json))
        } catch let failure as ToolFailure {
            Output.show(failure)
            throw ExitCode(failure.status.rawValue)
        }
    }
}

/// The path from the root, as advice may be followed in any folder.
///
/// `URL` would take away `..` and the name before it, which may be that of a symbolic link.
private func wholePath(_ path: String) -> String {
    path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
}

/// What a sign-in asks for.
struct SignInArguments: ParsableArguments {
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("Ask for this scope, instead of those that the server suggests; may be repeated."))
    var scope: [String] = []

    @Option(help: ArgumentHelp("The issuer of the server, for a resource that does not name it.", valueName: "url"))
    var issuer: String?

    @Option(help: ArgumentHelp("The id of a client that is registered at --issuer.", valueName: "id"))
    var client: String?

    @Option(help: ArgumentHelp("The URL of a client id metadata document of yours.", valueName: "url"))
    var clientDocument: String?

    var options: SignInOptions {
        var options = SignInOptions()
        (options.scopes, options.issuer) = (Set(scope), issuer)
        (options.client, options.document) = (client, clientDocument)
        return options
    }

    func validate() throws {
        if client != nil, issuer == nil { throw ValidationError("--client needs --issuer, whose client it is.") }
    }
}

/// `authorize login`.
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Signs in, in the browser or on another device.",
        discussion: """
            Finds the server that guards the URL, says what it is asked for, opens its page, and waits up to ten \
            minutes for your answer. The session goes to files that only you can open. If another program is signing \
            in to the same URL, this one waits for it and takes over its session.
            """)

    @Argument(help: "The URL of the resource.") var url: String
    @Flag(help: "Only print the address of the page.") var noBrowser = false
    @Flag(help: "Paste the address that the browser ends at, from another machine.") var paste = false
    @Flag(help: "Enter a code on another device; so by itself where there is no display, if the server can do it.")
    var device = false
    @Flag(help: "Bind the tokens to a key (DPoP), so that a stolen one is of no use.") var dpop = false
    @Option(help: "The port of the callback, for a client that is registered with one.") var port: UInt16 = 0
    @Option(help: ArgumentHelp("The file with the secret of --client.", valueName: "file"))
    var clientSecretFile: String?
    @Flag(help: "Print the session as JSON.") var json = false
    @OptionGroup var signIn: SignInArguments
    @OptionGroup var tool: ToolOptions

    func validate() throws {
        if device, paste { throw ValidationError("--device and --paste are two ways; choose one.") }
        if clientSecretFile != nil, signIn.client == nil {
            throw ValidationError("--client-secret-file needs --client, whose secret it is.")
        }
    }

    func run() async throws {
        var options = signIn.options
        options.secretFile = clientSecretFile.map { wholePath($0) }
        options.opensBrowser = !noBrowser
        (options.pastes, options.usesDevice, options.port, options.isBound) = (paste, device, port, dpop)
        try await tool.run(json: json) { [options] in try await $0.login(url, options) }
    }
}

/// `authorize explain`.
struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Shows what a sign-in would do, and what is missing.",
        discussion: "It makes the requests that need no person and carry no credential.")

    @Argument(help: "The URL of the resource.") var url: String
    @Flag(help: "Print JSON.") var json = false
    @OptionGroup var signIn: SignInArguments
    @OptionGroup var tool: ToolOptions

    func run() async throws { try await tool.run(json: json) { try await $0.explain(url, signIn.options) } }
}

/// `authorize list`.
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the sessions of all accounts; never a secret.")

    @Flag(help: "Print JSON.") var json = false
    @OptionGroup var tool: ToolOptions

    func run() async throws { try await tool.run(json: json) { try await $0.list() } }
}

/// `authorize logout`.
struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Revokes the token at the server, then removes it.")

    @Argument(help: "A URL that you have signed in to, or one below it.") var url: String
    @Flag(help: "Remove the token even if the server cannot be told.") var force = false
    @OptionGroup var tool: ToolOptions

    func run() async throws { try await tool.run { try await $0.logout(url, force: force) } }
}
