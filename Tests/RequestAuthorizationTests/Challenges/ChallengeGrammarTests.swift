// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import Testing

/// Published examples, the cases of the httpauth list at greenbytes.de, and challenges of real servers.
struct ChallengeGrammarTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let lines: [String]
        let expected: [AuthenticationChallenge]

        init(_ name: String, _ lines: String..., gives expected: AuthenticationChallenge...) {
            self.name = name
            self.lines = lines
            self.expected = expected
        }

        var testDescription: String { name }
    }

    @Test(arguments: published + accepted + damaged + unclear + understood)
    func `the parsed challenges are those of the grammar`(_ test: Case) {
        #expect(AuthenticationChallenge.parse(test.lines) == test.expected)
    }

    static let published = [
        Case(
            "RFC 9110 §11.6.1", #"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#,
            gives: .make("Basic", ["realm": "simple"]),
            .make("Newauth", ["realm": "apps", "type": "1", "title": #"Login to "apps""#])),
        Case(
            "RFC 7235 §4.1", #"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#,
            gives: .make("Newauth", ["realm": "apps", "type": "1", "title": #"Login to "apps""#]),
            .make("Basic", ["realm": "simple"])),
        Case("RFC 6750 §3", #"Bearer realm="example""#, gives: .make("Bearer", ["realm": "example"])),
        Case(
            "RFC 6750 §3, expired",
            #"Bearer realm="example", error="invalid_token", error_description="The access token expired""#,
            gives: .make(
                "Bearer",
                ["realm": "example", "error": "invalid_token", "error_description": "The access token expired"])),
        Case(
            "RFC 7616 §3.9.1",
            #"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#,
            gives: .make(
                "Digest",
                [
                    "realm": "http-auth@example.org", "qop": "auth, auth-int", "algorithm": "SHA-256",
                    "nonce": "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
                    "opaque": "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS",
                ])),
        Case(
            "RFC 7617 §2.1", #"Basic realm="foo", charset="UTF-8""#,
            gives: .make("Basic", ["realm": "foo", "charset": "UTF-8"])),
        Case("RFC 4559 §4.1", "Negotiate", gives: .make("Negotiate")),
        Case(
            "RFC 4559 §5", "Negotiate oYIBtTCCAbGgAwoBAA==",
            gives: .make("Negotiate", token68: "oYIBtTCCAbGgAwoBAA==")),
        Case(
            "RFC 9449 §7.1",
            #"DPoP realm="WallyWorld", error="invalid_token", error_description="Invalid DPoP key binding", algs="ES256""#,
            gives: .make(
                "DPoP",
                [
                    "realm": "WallyWorld", "error": "invalid_token",
                    "error_description": "Invalid DPoP key binding", "algs": "ES256",
                ])),
        Case(
            "RFC 9470 §3",
            #"Bearer error="insufficient_user_authentication", error_description="A different authentication level is required", acr_values="myACR", max_age=5"#,
            gives: .make(
                "Bearer",
                [
                    "error": "insufficient_user_authentication", "acr_values": "myACR", "max_age": "5",
                    "error_description": "A different authentication level is required",
                ])),
        Case(
            "RFC 9728 §5.1",
            #"Bearer resource_metadata="https://resource.example.com/.well-known/oauth-protected-resource""#,
            gives: .make(
                "Bearer",
                ["resource_metadata": "https://resource.example.com/.well-known/oauth-protected-resource"])),
    ]

    static let accepted = [
        Case("nothing"),
        Case("empty lines", "", " ", ",", "\t, ,,"),
        Case("upper case", #"BASIC REALM="Foo""#, gives: .make("BASIC", ["realm": "Foo"])),
        Case("a token for a value", "Basic realm=foo", gives: .make("Basic", ["realm": "foo"])),
        Case("single quotes are token characters", "Basic realm='foo'", gives: .make("Basic", ["realm": "'foo'"])),
        Case("no percent-decoding", #"Basic realm="foo%20bar""#, gives: .make("Basic", ["realm": "foo%20bar"])),
        Case("an empty value", #"Basic realm="""#, gives: .make("Basic", ["realm": ""])),
        Case("a comma behind the scheme", #"Basic , realm="foo""#, gives: .make("Basic", ["realm": "foo"])),
        Case("no parameter", "Basic", gives: .make("Basic")),
        Case("schemes alone", "A, B,C", gives: .make("A"), .make("B"), .make("C")),
        Case("blanks around =", "Basic realm \t=  \"foo\" ", gives: .make("Basic", ["realm": "foo"])),
        Case("needless escapes", #"Basic realm="\f\o\o\,""#, gives: .make("Basic", ["realm": "foo,"])),
        Case("escaped quotes", #"Basic realm="\"foo\\\"""#, gives: .make("Basic", ["realm": #""foo\""#])),
        Case(
            "empty members", #",,Basic realm="foo", bar="xyz",, a=b,,,c=d,"#,
            gives: .make("Basic", ["realm": "foo", "bar": "xyz", "a": "b", "c": "d"])),
        Case("no blank behind the comma", "A b=c,D e=f", gives: .make("A", ["b": "c"]), .make("D", ["e": "f"])),
        Case(
            "UTF-8", "Basic realm=\"Z\u{FC}rich \u{1F510}\"", gives: .make("Basic", ["realm": "Z\u{FC}rich \u{1F510}"])),
        Case("a tab in a string", "Basic realm=\"a\tb\"", gives: .make("Basic", ["realm": "a\tb"])),
        Case("two lines", "A b=c", "D e=f", gives: .make("A", ["b": "c"]), .make("D", ["e": "f"])),
        Case("a challenge split over lines", "A b=c,", "d=e", gives: .make("A", ["b": "c", "d": "e"])),
        Case(
            "a parameter named like a scheme", #"Newauth realm="N", basic=foo, Basic realm="B""#,
            gives: .make("Newauth", ["realm": "N", "basic": "foo"]), .make("Basic", ["realm": "B"])),
        Case(
            "a challenge inside a string", #"Basic foo="realm=nottherealm, Bearer x=y", realm="basic""#,
            gives: .make("Basic", ["foo": "realm=nottherealm, Bearer x=y", "realm": "basic"])),
        Case(
            "names that end alike", #"Basic nottherealm="n", realm="basic""#,
            gives: .make("Basic", ["nottherealm": "n", "realm": "basic"])),
        Case("an extended name", "A title*=UTF-8''x%20y", gives: .make("A", ["title*": "UTF-8''x%20y"])),
        Case("token68 without padding", "NTLM TlRMTVNTUAAC", gives: .make("NTLM", token68: "TlRMTVNTUAAC")),
        Case("token68 of all characters", "A aZ09-._~+/==", gives: .make("A", token68: "aZ09-._~+/==")),
        Case("token68 that could begin a parameter", "A b=, C", gives: .make("A", token68: "b="), .make("C")),
        Case(
            "token68 and others", #"Negotiate abc= , Basic realm="x", NTLM"#,
            gives: .make("Negotiate", token68: "abc="), .make("Basic", ["realm": "x"]), .make("NTLM")),
        Case("the same scheme twice", "A b=c, A b=d", gives: .make("A", ["b": "c"]), .make("A", ["b": "d"])),
        Case("many blanks", "A    b=c", gives: .make("A", ["b": "c"])),
    ]

    /// A challenge that breaks the grammar keeps what can be read, and says that it is partial.
    static let damaged = [
        Case("no scheme", #"realm="foo""#),
        Case("a duplicate", #"Basic realm="foo", realm="bar""#, gives: .partial("Basic", ["realm": "foo"])),
        Case("a duplicate in another case", "Basic realm=foo, REALM=bar", gives: .partial("Basic", ["realm": "foo"])),
        Case(
            "a duplicate between others", "A b=c, Basic realm=foo, x=y, realm=foo, z=1, D e=f",
            gives: .make("A", ["b": "c"]), .partial("Basic", ["realm": "foo", "x": "y", "z": "1"]),
            .make("D", ["e": "f"])),
        Case("RFC 9110 §11.3: a comma right behind the scheme", #"Basic, realm="foo""#, gives: .partial("Basic")),
        Case("a scheme alone on its line", "Basic", #"realm="foo""#, gives: .partial("Basic")),
        Case(
            "a parameter of no scheme between challenges", #"Negotiate, realm="foo", Bearer error="x", a=b"#,
            gives: .partial("Negotiate"), .make("Bearer", ["error": "x", "a": "b"])),
        Case("an escape outside of a string", #"Basic realm=\f\o\o, D"#, gives: .partial("Basic"), .make("D")),
        Case("words", "A b c, F", gives: .partial("A"), .make("F")),
        Case("words before a parameter", "A b c, d=e, F", gives: .partial("A", ["d": "e"]), .make("F")),
        Case("a URL without quotes", "A b=https://c.example, F", gives: .partial("A"), .make("F")),
        Case("token68 and a parameter", "A bc=, d=e, F", gives: .partial("A", ["d": "e"], token68: "bc="), .make("F")),
        Case("a parameter and token68", "A d=e, bc==, F", gives: .partial("A", ["d": "e"]), .make("F")),
        Case("two token68", "A bc= de=, F", gives: .partial("A"), .make("F")),
        Case("a value missing", "A b=c, d=, F", gives: .partial("A", ["b": "c"]), .make("F")),
        Case("a value missing behind blanks", "A b = , F", gives: .partial("A"), .make("F")),
        Case("a value missing at the end", "A b=c, d=", gives: .partial("A", ["b": "c"])),
        Case("a parameter of no scheme with blanks", #"A ="c", F"#, gives: .make("F")),
        Case("a name missing", #"A b=c, ="d", e=f, F"#, gives: .partial("A", ["b": "c", "e": "f"]), .make("F")),
        Case("a stray string", #"A b=c, "d", F"#, gives: .partial("A", ["b": "c"]), .make("F")),
        Case(
            "a challenge in a stray string", #"A b=c, "d, G e=f, h", F"#,
            gives: .partial("A", ["b": "c"]), .make("F")),
        Case(
            "a control character in a string", "A b=\"\u{1B}[2J\", c=d, F", gives: .partial("A", ["c": "d"]), .make("F")
        ),
        Case("a line end in a string", "A b=\"c\r\nX: y\", F", gives: .partial("A"), .make("F")),
        Case("an escaped line end", "A b=\"c\\\nd\", F", gives: .partial("A"), .make("F")),
        Case("NUL", "A b=\"c\u{0}\", F", "\u{0}", gives: .partial("A"), .partial("F")),
        Case("DEL in a string", "A b=\"\u{7F}\", F", gives: .partial("A"), .make("F")),
        Case("a value that is not ASCII", "A b=Z\u{FC}rich, c=d, F", gives: .partial("A", ["c": "d"]), .make("F")),
        // Not a scheme: the member may as well be the rest of a value that has a comma.
        Case("a blank missing behind the scheme", #"A b=c, Basic"x", D"#, gives: .partial("A", ["b": "c"]), .make("D")),
        Case("a slash behind the scheme", "A/b=, C", gives: .make("C")),
        Case("a line end between", "A\r\n b=c, F", gives: .make("F")),
        Case("NUL in a name", "A\u{0} b=c, F", gives: .make("F")),
        Case("a scheme that is not ASCII", "B\u{E4}sic realm=x, F", gives: .make("F")),
        Case("a byte order mark", "\u{FEFF}Basic realm=x, F", gives: .make("F")),
        Case("brackets", "<Basic>, {\"a\": \"b, c\"}, F", gives: .make("F")),
    ]

    /// Strings whose end is not clear: the first comma behind the opening quote ends them.
    static let unclear = [
        Case("an unclosed string", #"Basic realm="basic"#, gives: .partial("Basic")),
        Case(
            "an unclosed string behind another challenge", #"A b=c, Basic realm="x, D e=f"#,
            gives: .make("A", ["b": "c"]), .partial("Basic"), .make("D", ["e": "f"])),
        Case(
            "a string that is closed by the next one", #"A b="c, error="insufficient_scope", F"#,
            gives: .partial("A", ["error": "insufficient_scope"]), .make("F")),
        Case(
            "a challenge behind a string that its own string closes",
            #"Basic realm="x, Bearer error="insufficient_scope""#,
            gives: .partial("Basic"), .make("Bearer", ["error": "insufficient_scope"])),
        Case(
            "a string that ends in a backslash", #"A b=c, Basic realm="x\"#, gives: .make("A", ["b": "c"]),
            .partial("Basic")),
        Case(
            "a path of Windows in a string", #"Basic realm="C:\dir\", error="e""#,
            gives: .partial("Basic", ["error": "e"])),
        Case(
            "an unclosed string ends with its line", #"A b=c, Basic realm="x"#, "y=z, D e=f",
            gives: .make("A", ["b": "c"]), .partial("Basic", ["y": "z"]), .make("D", ["e": "f"])),
        Case("text behind a string", #"A b="c"d, F"#, gives: .partial("A"), .make("F")),
        Case(
            "quotes in a string", #"A realm="My "API", v2", error="e", F"#,
            gives: .partial("A", ["error": "e"]), .make("F")),
        Case("a quote alone", #"A b=c, ", F"#, gives: .partial("A", ["b": "c"]), .make("F")),
    ]

    /// Forms that no grammar has, and whose meaning is clear.
    static let understood = [
        Case(
            "single quotes around blanks and commas", "A b='c d', e='f, g', h=i, F",
            gives: .partial("A", ["b": "'c d'", "e": "'f, g'", "h": "i"]), .make("F")),
        Case("an apostrophe", "A b='c, d='e', F", gives: .make("A", ["b": "'c", "d": "'e'"]), .make("F")),
        Case("a single quote that is not closed", "A b='c d, e=f, F", gives: .partial("A", ["e": "f"]), .make("F")),
        Case(
            "commas missing", #"A b=c d="e" f=g, F"#, gives: .partial("A", ["b": "c", "d": "e", "f": "g"]), .make("F")),
        Case(
            "semicolons", #"A b="c"; d=e ;f="g";, F"#,
            gives: .partial("A", ["b": "c", "d": "e", "f": "g"]), .make("F")),
        Case("words behind a string", #"A b="c" d, F"#, gives: .partial("A", ["b": "c"]), .make("F")),
        // Half a value could be mistaken for the whole one.
        Case("a scope without quotes", "A scope=a b, c=d, F", gives: .partial("A", ["c": "d"]), .make("F")),
        Case("a realm without quotes", "A realm=My API v2, c=d, F", gives: .partial("A", ["c": "d"]), .make("F")),
    ]

    @Test(arguments: [
        #"Bearer error="insufficient_scope", scope='a b'"#, #"Bearer realm='my api', error="insufficient_scope""#,
        "Bearer realm=my api, error=insufficient_scope", "Bearer error='insufficient_scope'",
        #"Bearer realm="a", realm="b", error="insufficient_scope""#, #"Bearer realm="a" error="insufficient_scope""#,
        #"Bearer realm="a"; error="insufficient_scope""#, #"Bearer realm="a, error="insufficient_scope""#,
        #"Bearer realm=, error="insufficient_scope""#, #"Bearer realm="\", error="insufficient_scope""#,
        #"Bearer error="insufficient_scope", error_description="The "scope" is not enough""#,
        #"Bearer error="insufficient_scope", error_description="cut "#, #"Bearer abc, error="insufficient_scope""#,
        #"Bearer error="insufficient_scope", error_description=See https://a.example/, or ask"#,
        #"Bearer error="insufficient_scope", realm="Z\u{FC}rich\u{1}""#,
        #"Basic realm="x, Bearer error="insufficient_scope""#,
    ])
    func `a sloppy parameter does not hide that the scope is insufficient`(line: String) {
        let refusal = UnauthorizedResponse(statusCode: 403, fields: ["WWW-Authenticate": [line]])
        #expect(refusal.challenges.contains { $0.error == "insufficient_scope" && $0.requiresInteraction })
        #expect(refusal.unauthorized != nil, "a 403 is noticed too")
    }

    @Test func `the values that people read have no single quotes`() {
        let challenge = AuthenticationChallenge.parse(["Bearer error='e', scope='a b'"]).first
        #expect(challenge?.error == "e" && challenge?.scope == ["a", "b"])
        #expect(AuthenticationChallenge.make("Bearer", ["error": "'", "scope": "it's"]).error == "'")
        #expect(AuthenticationChallenge.make("Bearer", ["error": "'", "scope": "it's"]).scope == ["it's"])
    }
}

extension AuthenticationChallenge {
    static func make(_ scheme: String, _ parameters: [String: String] = [:]) -> AuthenticationChallenge {
        AuthenticationChallenge(scheme: scheme, parameters: parameters)
    }

    static func make(_ scheme: String, token68: String) -> AuthenticationChallenge {
        AuthenticationChallenge(scheme: scheme, token68: token68)
    }

    static func partial(
        _ scheme: String, _ parameters: [String: String] = [:], token68: String? = nil
    ) -> AuthenticationChallenge {
        AuthenticationChallenge(scheme: scheme, token68: token68, parameters: parameters, isPartial: true)
    }
}
