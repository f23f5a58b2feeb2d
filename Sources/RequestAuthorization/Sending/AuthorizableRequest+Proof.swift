// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension AuthorizableRequest {
    /// Returns the request with the fields of a proof.
    ///
    /// - Parameters:
    ///   - names: the fields that the proof may set, in lower case.
    ///   - credential: the value of the `Authorization` field, unless the request has it already. All fields are set
    ///     together, because the first one copies the request.
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/malformedCredential`` if the request lacks an
    ///   origin, a method or a target, or if the proof is malformed; what the proof throws.
    @inline(never)
    package func proven(
        by proof: any RequestProof, names: Set<String>, credential: String? = nil
    ) async throws -> Self {
        guard let target = ProvenRequest(self, names: names) else {
            throw NotAuthorized(
                .malformedCredential,
                detail:
                    "a proof needs a method and a URI: give the request an origin, a requestMethod and a targetURI"
            )
        }
        let fields = try await proof.fields(for: target)
        try Task.checkCancellation()
        var proven = self
        if let credential { proven.setCredential(credential, in: "Authorization") }
        for (name, value) in fields {
            guard names.contains(name.asciiLowercased) else {
                throw NotAuthorized(
                    .malformedCredential, detail: "the proof sets a field that proofFields of its service does not name"
                )
            }
            try HeaderFieldValue.check(value)
            proven.setCredential(value, in: name)
        }
        CredentialFields.current?.insert(proof, names: names)
        return proven
    }
}
