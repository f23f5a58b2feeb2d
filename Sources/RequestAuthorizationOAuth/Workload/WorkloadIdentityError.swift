// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The platform gave no usable token, or the server refused it. The session is kept.
///
/// The kind is `transient` if another reading may help soon, and `client` if somebody has to change something.
public struct WorkloadIdentityError: TokenServiceFailure {
    package struct Problem: Hashable, Sendable, Labelled {
        package let label: String

        /// There is no such file or environment variable.
        package static let missing = Problem(label: "missing")
        /// The file must not be read, or cannot be read now.
        package static let unreadable = Problem(label: "unreadable")
        /// The path is that of a folder, a pipe or a device.
        package static let notAFile = Problem(label: "not a file")
        /// It is longer than 64 KiB.
        package static let tooLong = Problem(label: "longer than 64 KiB")
        /// It is empty, cut off, or not a JWT, also at the third reading.
        package static let unfinished = Problem(label: "empty, cut off, or not a JWT")
        /// It has another form than expected.
        package static let malformed = Problem(label: "malformed")
        /// The URL gave no token.
        package static let unavailable = Problem(label: "unavailable")
        /// The URL is plain `http`, and neither on this machine nor 169.254.169.254.
        package static let insecure = Problem(label: "plain http")
        /// The file names a server that is neither Google's nor named by the program.
        package static let otherServer = Problem(label: "another server")
        /// The configuration wants to run a program, which this library never does.
        package static let executable = Problem(label: "an executable")
        /// The configuration needs something that this library does not have.
        package static let unsupported = Problem(label: "unsupported")
        /// The authorization server refused the token, or the service account.
        package static let refused = Problem(label: "refused")
    }

    package let problem: Problem
    /// Where the token comes from: a path, the name of a variable or of a member, or an origin.
    package let source: String
    /// What is wrong in detail; never a secret.
    package let detail: String?
    /// The error behind it, such as the server's `TokenEndpointError`. It is not printed here.
    public let underlying: (any Error)?
    public let kind: TokenFailureKind
    public var retryAfter: Duration? { (underlying as? any TokenServiceFailure)?.retryAfter }
    public var delivery: TokenRequestDelivery { problem == .refused ? .answered : .notSent }
    private let advice: String?

    /// Creates an error. Without `kind` and `advice` they follow from the problem.
    package init(
        _ problem: Problem, source: String, kind: TokenFailureKind? = nil, detail: String? = nil,
        underlying: (any Error)? = nil, advice: String? = nil
    ) {
        (self.problem, self.source, self.detail) = (problem, TerminalText.clean(source, limit: 300), detail)
        self.kind = kind ?? (problem == .unfinished || problem == .unavailable ? .transient : .client)
        (self.underlying, self.advice) = (underlying, advice)
    }

    static func missingVariable(_ name: String, advice: String? = nil) -> WorkloadIdentityError {
        WorkloadIdentityError(
            .missing, source: name,
            advice: advice ?? "set the environment variable, or start the program where the platform sets it")
    }

    /// The server refused the token as it is now.
    static func refused(_ identity: WorkloadIdentity, by answer: TokenEndpointError) -> WorkloadIdentityError {
        let advice =
            identity.isRenewed
            ? "check issuer, subject and audience of the token at the server, whether it has expired, and the clocks"
            : "the token cannot be renewed while the program runs: start the job again if the token has expired, and "
                + "check issuer, subject and audience at the server"
        return WorkloadIdentityError(
            .refused, source: identity.source, detail: answer.printableCode, underlying: answer, advice: advice)
    }
}

extension WorkloadIdentityError: OwnDescription {
    @usableFromInline package var ownDescription: String {
        let fact = detail.map { "\(problem) (\($0))" } ?? problem.description
        return "no token for the program's identity from \(source): \(fact); \(advice ?? usualAdvice)"
    }

    private var usualAdvice: String {
        switch problem {
        case .missing: "check the path, and that the platform has mounted the file; it is looked for again"
        case .unreadable: "let the user of this process read the file"
        case .notAFile: "name a regular file, or a link to one"
        case .unfinished: "check what the platform writes there; it is read again at the next try"
        case .unavailable: "check that the platform gives tokens to this program; it is asked again later"
        case .insecure: "use https; plain http is for this machine and 169.254.169.254 only"
        case .otherServer: "pass its origin as trusting: if it is the server that you mean"
        case .executable: "this library runs no program; use a file or a URL as the source"
        default: "correct the platform's configuration"
        }
    }
}
