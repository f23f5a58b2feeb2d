// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import ArgumentParser
public import AuthorizeTool

/// The options of commands that give out a token.
struct TokenOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How long the token must be valid at least: 90s, 5m, 1h.", valueName: "time"))
    var lasting: Duration = .zero

    @OptionGroup var tool: ToolOptions
}

/// A number of seconds, minutes or hours on the command line.
extension Duration: @retroactive ExpressibleByArgument {
    public init?(argument: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600]
        let unit = argument.last.flatMap { units[$0] }
        let digits = unit == nil ? argument[...] : argument.dropLast()
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int64(digits), number < 1 << 32 else {
            return nil
        }
        self = .seconds(number * (unit ?? 1))
    }

    public var defaultValueDescription: String { "any time" }
}

extension TokenFormat: ExpressibleByArgument {}

/// `authorize header`.
struct HeaderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "header", abstract: "Prints the header fields of one request, for `curl -H @-`.",
        discussion: """
              authorize header URL | curl -H @- URL

            The token is never an argument, so `ps` does not show it.
            """)

    @Argument(help: "The URL of the request.") var url: String
    @Option(help: "The method of the request; the proof of a token that is bound to a key names it.")
    var method = "GET"
    @OptionGroup var options: TokenOptions

    func run() async throws {
        try await options.tool.run { try await $0.header(url, method: method, lasting: options.lasting) }
    }
}

/// `authorize token`.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Prints the token: as text, as JSON, for kubectl or for git.",
        discussion: """
            For kubectl, in the kubeconfig: command authorize, args [token, URL, --format, kubectl].

            For git: git config credential.https://git.example.helper '!authorize token --format git'. Git adds get, \
            store or erase, and writes what it needs to standard input; a URL here limits what is answered.
            """)

    @Argument(help: ArgumentHelp("The URL, and git's word.", valueName: "url"))
    var words: [String] = []
    @Option(help: "The format.") var format: TokenFormat = .text
    @OptionGroup var options: TokenOptions

    func validate() throws {
        guard format == .git ? (1...2).contains(words.count) : words.count == 1 else {
            throw ValidationError(
                format == .git ? "Git adds a word, such as get, after an optional URL." : "One URL is needed.")
        }
    }

    func run() async throws {
        try await options.tool.run { tool in
            guard format == .git else {
                return try await tool.token(words[0], format: format, lasting: options.lasting)
            }
            try await tool.gitCredential(
                below: words.count == 2 ? words[0] : nil, operation: words[words.count - 1], lasting: options.lasting)
        }
    }
}

/// `authorize exec`.
struct ExecCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec", abstract: "Runs a command with the token in an environment variable.",
        discussion: """
              authorize exec https://api.example --env API_TOKEN -- api-tool list

            Signals and the exit status are passed on. The command keeps the token that it was started with; a line on \
            standard error says when that expires.
            """)

    @Argument(help: "A URL that you have signed in to, or one below it.") var url: String
    @Option(help: ArgumentHelp("The environment variable.", valueName: "name")) var env: String
    @Argument(parsing: .postTerminator, help: "The command, after --.") var command: [String] = []
    @OptionGroup var options: TokenOptions

    func validate() throws {
        guard !command.isEmpty else { throw ValidationError("Write the command after --.") }
    }

    func run() async throws {
        try await options.tool.run {
            throw ExitCode(try await $0.exec(url, command, variable: env, lasting: options.lasting))
        }
    }
}

/// `authorize mcp`.
struct MCPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp", abstract: "A bridge to a server of the Model Context Protocol.",
        discussion: """
            It reads and writes JSON-RPC, a message a line, and calls the server with streamable HTTP. In the \
            configuration of a client: command authorize, args [mcp, URL].
            """)

    @Argument(help: "The URL of the server.") var url: String
    @OptionGroup var tool: ToolOptions

    func run() async throws { try await tool.run { try await $0.mcp(url) } }
}
