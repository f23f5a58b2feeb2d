// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

@testable import RequestAuthorizationOAuth
import Testing

/// The kinds of redirect URIs, and the callbacks that belong to them.
@Suite struct RedirectURITests {
    @Test(arguments: [
        "https://client.example.com/cb", "https://client.example.com", "https://client.example.com:8443/cb?tenant=1",
        "http://127.0.0.1/callback", "http://127.0.0.1:51004/callback", "http://[::1]:51004/callback",
        "com.example.app:/oauth2redirect", "com.example.app://callback", "my-app://login-callback",
    ])
    func `RFC 8252 §7: redirect URIs are https, http on a loopback literal, or of a scheme of one's own`(
        text: String
    ) throws {
        #expect(try RedirectURI(text).text == text)
    }

    @Test(arguments: [
        ("http://client.example.com/cb", "use https"), ("http://127.0.0.2/cb", "use https"),
        ("http://127.0.0.1.example.com/cb", "use https"), ("http://127.0.0.1@evil.example/cb", "user name"),
        ("http://127.0.0.1:80@evil.example/cb", "user name"), ("https://u:p@client.example.com/cb", "user name"),
        ("https://user@client.example.com/cb", "user name"), ("https:///cb", "https://host/path"),
        ("https:/cb", "https://host/path"), ("javascript:alert(1)", "a scheme of your app"),
        ("data:text/html,x", "a scheme of your app"), ("https://client.example.com/a/../cb", "segments"),
        ("https://client.example.com/./cb", "segments"), ("https://client.example.com/cb#x", "remove the #"),
        ("https://client.example.com/cb?state=1", "the server adds them"),
        ("https://client.example.com/cb?st%61te=1", "the server adds them"),
        ("https://client.example.com/c b", "in ASCII"), ("https://bücher.example/cb", "in ASCII"), ("cb", "in ASCII"),
        ("https:\\\\client.example.com\\cb", "in ASCII"), ("", "in ASCII"),
    ])
    func `an address to which codes must not be sent is refused, with advice`(text: String, advice: String) {
        let error = #expect(throws: SignInError.self) { try RedirectURI(text) }
        #expect(error?.kind == .redirectURI)
        #expect(error.map { "\($0)".contains(advice) } == true, "\(String(describing: error))")
    }

    @Test func `RFC 8252 §8.3: localhost is refused, with the address to use in its place`() {
        let error = #expect(throws: SignInError.self) { try RedirectURI("http://localhost:8080/cb") }
        #expect(error.map { "\($0)".contains("http://127.0.0.1/") } == true)
    }

    @Test(arguments: [
        ("https://client.example.com/cb", "https://client.example.com/cb?code=1"),
        ("https://client.example.com/cb", "HTTPS://Client.Example.COM/cb?code=1"),
        ("https://Client.example.com/cb", "https://client.example.com/cb?code=1"),
        ("https://client.example.com", "https://client.example.com/?code=1"),
        ("https://client.example.com/", "https://client.example.com?code=1"),
        ("my-app://login-callback", "my-app://login-callback/?code=1"),
        ("my-app://login-callback", "MY-APP://login-callback?code=1#_=_"),
        ("com.example.app:/cb", "com.example.app:/cb?code=1"),
        ("http://127.0.0.1:51004/cb", "http://127.0.0.1:51004/cb?code=1"),
        ("https://client.example.com/cb?tenant=1", "https://client.example.com/cb?code=1&tenant=1"),
    ])
    func `a callback belongs to a redirect URI that equals it up to its question mark`(
        uri: String, callback: String
    ) throws {
        #expect(try RedirectURI(uri).parameters(of: callback)?["code"] == .text("1"))
    }

    @Test(arguments: [
        ("https://client.example.com/cb", "https://client.example.com/CB?code=1"),
        ("https://client.example.com/cb", "https://client.example.com/cb/?code=1"),
        ("https://client.example.com/cb", "https://client.example.com/x/../cb?code=1"),
        ("https://client.example.com/cb", "https://client.example.com/./cb?code=1"),
        ("https://client.example.com/cb", "https://client.example.com//cb?code=1"),
        ("https://client.example.com/cb", "https://client.example.com/c%62?code=1"),
        ("https://client.example.com/cb", "https://client.example.com:443/cb?code=1"),
        ("https://client.example.com/cb", "https://client.example.com.evil.example/cb?code=1"),
        ("https://client.example.com/cb", "https://client.example.com@evil.example/cb?code=1"),
        ("https://client.example.com/cb", "https://evil.example/cb?code=1"),
        ("https://client.example.com/cb", "http://client.example.com/cb?code=1"),
        ("https://client.example.com/cb", "https://client.example.com/cb;x?code=1"),
        ("http://127.0.0.1:51004/cb", "http://127.0.0.1:51005/cb?code=1"),
        ("http://127.0.0.1:51004/cb", "http://localhost:51004/cb?code=1"),
        ("http://127.0.0.1:51004/cb", "http://[::1]:51004/cb?code=1"),
        ("my-app://login-callback", "my-app:login-callback?code=1"),
        ("my-app://login-callback", "my-app://settings?code=1"),
        ("https://client.example.com/cb?tenant=1", "https://client.example.com/cb?code=1"),
        ("https://client.example.com/cb?tenant=1", "https://client.example.com/cb?tenant=2&code=1"),
    ])
    func `a callback to any other address is foreign, and is not decoded to match`(
        uri: String, callback: String
    ) throws {
        #expect(try RedirectURI(uri).parameters(of: callback) == nil)
    }

    @Test func `RFC 6749 App. B: names and values are decoded as forms`() throws {
        let query = "c%6Fde=a%2Bb+c%C3%A4&state=%zz&iss=%FF&error=&a=1&a=2&x=%4"
        let parameters = try #require(try RedirectURI("my-app://cb").parameters(of: "my-app://cb?\(query)"))
        #expect(parameters["code"] == .text("a+b cä"))
        #expect(["state", "iss", "a", "x"].map { parameters[$0] } == [.unusable, .unusable, .unusable, .unusable])
        #expect(["error", "y"].map { parameters[$0] } == [.absent, .absent])
    }
}
