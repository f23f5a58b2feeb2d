// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The token that a platform has issued for the program: it says who the program is, without a secret in it.
///
///     let service = OAuthTokenService.workload(
///         .file("/var/run/secrets/tokens/id"), server: server, client: .public(id: "billing"), transport: transport)
///
/// Platforms replace the token while the program runs, so it is read anew for each request and never kept. If the
/// server refuses it, it is read again, and sent once more if it has changed.
public struct WorkloadIdentity: Sendable, RedactedDescription {
    /// The name of the place for errors: a path, a variable, or an origin; never a secret.
    let source: String
    /// Whether the platform replaces the token while the program runs.
    let isRenewed: Bool
    private let read: @Sendable () async throws -> String

    init(source: String, isRenewed: Bool = true, read: @escaping @Sendable () async throws -> String) {
        (self.source, self.isRenewed, self.read) = (source, isRenewed, read)
    }

    /// Reads the token as it is now.
    ///
    /// - Throws: ``WorkloadIdentityError``, and `CancellationError`.
    package func assertion() async throws -> String { try await read() }
}

extension WorkloadIdentity {
    /// A file with a JWT that the platform replaces, by another file or in place.
    ///
    /// Examples are projected tokens of Kubernetes, whose links are followed, and `AZURE_FEDERATED_TOKEN_FILE`. The
    /// file is regular and at most 64 KiB long. If it is empty or cut off, it is read three times within 150 ms.
    public static func file(_ path: String, clock: any AuthorizationClock = .system) -> WorkloadIdentity {
        file(path, format: .jwt, clock: clock)
    }

    static func file(_ path: String, format: AssertionFormat, clock: any AuthorizationClock) -> WorkloadIdentity {
        WorkloadIdentity(source: path) { try await AssertionFile.text(at: path, format: format, clock: clock) }
    }

    /// An environment variable with a JWT, such as an `id_tokens` entry of GitLab.
    ///
    /// **It cannot be renewed**: once it has expired, the server refuses it, and the job has to be started again.
    public static func environment(
        _ name: String, in environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> WorkloadIdentity {
        let value = environment[name]
        return WorkloadIdentity(source: name, isRenewed: false) {
            guard let value, !value.isEmpty else { throw WorkloadIdentityError.missingVariable(name) }
            return try AssertionFormat.jwt.text(in: Array(value.utf8), from: name)
        }
    }

    /// The identity of a job of GitHub Actions, which is requested anew for each use.
    ///
    /// The job needs the permission `id-token: write`, for which GitHub sets `ACTIONS_ID_TOKEN_REQUEST_URL` and
    /// `ACTIONS_ID_TOKEN_REQUEST_TOKEN`. The `audience` is what the server expects; GitHub's default is the owner's URL.
    public static func gitHubActions(
        audience: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment,
        transport: any TokenTransport
    ) -> WorkloadIdentity {
        let names = ["ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"]
        let values = names.map { environment[$0] ?? "" }
        return WorkloadIdentity(source: "GitHub Actions") {
            if let missing = zip(names, values).first(where: { $0.1.isEmpty }) {
                throw WorkloadIdentityError.missingVariable(
                    missing.0, advice: "give the job the permission id-token: write")
            }
            let query = audience.map { (values[0].contains("?") ? "&" : "?") + "audience=\(FormEncoding.escape($0))" }
            return try await AssertionURL(
                values[0] + (query ?? ""), fields: [(name: "Authorization", value: "Bearer \(values[1])")],
                format: AssertionFormat(member: "value", isJWT: true)
            ).text(by: transport)
        }
    }
}

/// The shape in which a platform gives a token.
struct AssertionFormat: Sendable {
    /// The member of a JSON object that has the token; `nil` if the token is all there is.
    let member: String?
    let isJWT: Bool

    static let jwt = AssertionFormat(member: nil, isJWT: true)
    /// The longest token with all that is around it, in bytes.
    static let longest = 64 << 10

    /// - Throws: ``WorkloadIdentityError``, with the problem `unfinished` if it may be right at the next reading.
    func text(in bytes: [UInt8], from source: String) throws(WorkloadIdentityError) -> String {
        let unfinished = WorkloadIdentityError(.unfinished, source: source)
        guard bytes.count <= Self.longest else { throw WorkloadIdentityError(.tooLong, source: source) }
        var text = String(decoding: bytes, as: UTF8.self)
        if let member {
            guard let object = try? AnswerObject(TokenResponse(statusCode: 200, body: bytes)), object.isWhole else {
                throw unfinished
            }
            guard let value = object.text(member) else {
                throw WorkloadIdentityError(.malformed, source: source, detail: "its JSON has no text \(member)")
            }
            text = value
        }
        let token = text.utf8.drop { $0.isBlank }
        let trimmed = String(decoding: token.prefix { !$0.isBlank }, as: UTF8.self)
        guard !trimmed.isEmpty else { throw unfinished }
        guard token.dropFirst(trimmed.utf8.count).allSatisfy(\.isBlank),
            trimmed.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw WorkloadIdentityError(.malformed, source: source, detail: "it is more than one token") }
        if isJWT, !JSONWebToken.isWhole(trimmed) { throw unfinished }
        return trimmed
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
