// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The configuration of a workload for Google, from the JSON file that `gcloud iam workload-identity-pools
/// create-cred-config` writes. The file has no secret, but it says where the platform's token is sent.
///
/// Google's documentation: AIP-4117, and "Workload Identity Federation".
struct ExternalAccount {
    let audience: String
    let subjectType: String
    let tokenURL: URL
    /// The second hop, which gives the token of a service account.
    let impersonationURL: URL?
    let lifetime: Int64
    let client: OAuthClient?
    let userProject: String?
    let identity: WorkloadIdentity

    /// - Throws: ``WorkloadIdentityError`` that names the member.
    init(
        _ json: Data, trusting trusted: Set<Origin>, transport: any TokenTransport, clock: any AuthorizationClock
    ) throws(WorkloadIdentityError) {
        let file = try ExternalAccountFile(json)
        let universe = file.text("universe_domain") ?? "googleapis.com"
        audience = try file.required("audience")
        subjectType = try file.required("subject_token_type")
        tokenURL = try file.url(
            "token_url", file.text("token_url") ?? "https://sts.\(universe)/v1/token", trusting: trusted)
        let impersonation = "service_account_impersonation_url"
        impersonationURL = try file.text(impersonation).map { text throws(WorkloadIdentityError) in
            try file.url(impersonation, text, trusting: trusted)
        }
        lifetime = file.integer("service_account_impersonation", "token_lifetime_seconds") ?? 3600
        client = file.text("client_id").map { id in
            file.text("client_secret").map { .secretBasic(id: id, secret: $0) } ?? .public(id: id)
        }
        userProject = file.text("workforce_pool_user_project")
        let isJWT = [SecurityTokenType.jwt.uri, SecurityTokenType.idToken.uri].contains(subjectType)
        let source = try file.source()
        let format = AssertionFormat(member: try source.tokenMember(), isJWT: isJWT)
        if let path = source.text("file") {
            identity = .file(path, format: format, clock: clock)
        } else {
            let url = try AssertionURL(try source.required("url"), fields: source.fields, format: format)
            identity = WorkloadIdentity(source: url.source) { try await url.text(by: transport, clock: clock) }
        }
    }
}

/// An object of the file, and the name by which errors call it.
private struct ExternalAccountFile {
    private let members: [String: JSONValue]
    private let name: String

    init(_ json: Data) throws(WorkloadIdentityError) {
        guard json.count <= AssertionFormat.longest, JSONNesting.isReadable(json),
            let members = try? JSONDecoder().decode([String: JSONValue].self, from: json)
        else {
            throw WorkloadIdentityError(
                .malformed, source: "the JSON file", detail: "it is no JSON object of at most 64 KiB")
        }
        (self.members, name) = (members, "")
        guard text("type") == "external_account" else {
            throw error(.unsupported, "type", "it is not external_account; keys of accounts go to googleServiceAccount")
        }
    }

    private init(_ members: [String: JSONValue], name: String) { (self.members, self.name) = (members, name) }

    func text(_ member: String) -> String? { members[member]?.text }

    func required(_ member: String) throws(WorkloadIdentityError) -> String {
        if let text = text(member) { return text }
        throw error(.malformed, member, "it is missing, or not a text")
    }

    func integer(_ member: String, _ inner: String) -> Int64? {
        guard case .object(let object) = members[member], case .integer(let number) = object[inner] else { return nil }
        return (1...43_200).contains(number) ? number : nil
    }

    /// A URL that the platform's token, or the token for it, is sent to: Google's, or one that the program names.
    func url(
        _ member: String, _ text: String, trusting trusted: Set<Origin>
    ) throws(WorkloadIdentityError) -> URL {
        guard let url = URL(string: text), let origin = Origin(url), url.isSafe, url.user() == nil else {
            throw error(.malformed, member, "it is not a URL with https")
        }
        let isGoogle = origin.scheme == "https" && origin.port == 443 && origin.host.hasSuffix(".googleapis.com")
        guard isGoogle || trusted.contains(origin) else { throw error(.otherServer, member, origin.description) }
        return url
    }

    /// The source of the platform's token: a file or a URL.
    func source() throws(WorkloadIdentityError) -> ExternalAccountFile {
        guard case .object(let object) = members["credential_source"] else {
            throw error(.malformed, "credential_source", "it is missing, or not an object")
        }
        let source = ExternalAccountFile(object, name: "credential_source.")
        if object["executable"] != nil { throw source.error(.executable, "executable", nil) }
        for member in ["environment_id", "certificate"] where object[member] != nil {
            throw source.error(.unsupported, member, "only file and url are")
        }
        guard (object["file"] == nil) != (object["url"] == nil) else {
            throw error(.malformed, "credential_source", "it needs either a file or a url")
        }
        return source
    }

    /// The member of the source's answer that has the token; `nil` if the answer is the token.
    func tokenMember() throws(WorkloadIdentityError) -> String? {
        guard case .object(let object) = members["format"] else { return nil }
        let format = ExternalAccountFile(object, name: "\(name)format.")
        switch format.text("type") ?? "text" {
        case "text": return nil
        case "json": return try format.required("subject_token_field_name")
        default: throw format.error(.unsupported, "type", "only text and json are")
        }
    }

    /// The header fields for the URL.
    var fields: [(name: String, value: String)] {
        guard case .object(let object) = members["headers"] else { return [] }
        return object.sorted { $0.key < $1.key }.compactMap { name, value in value.text.map { (name, $0) } }
    }

    private func error(
        _ problem: WorkloadIdentityError.Problem, _ member: String, _ detail: String?
    ) -> WorkloadIdentityError { WorkloadIdentityError(problem, source: name + member, detail: detail) }
}
