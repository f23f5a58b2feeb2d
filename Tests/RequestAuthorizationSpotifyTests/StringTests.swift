// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import RequestAuthorizationSpotify
import Testing

@Suite struct `Texts for a flow of your own` {
    @Test func `the challenge is that of RFC 7636 App. B`() {
        #expect(
            String.makeCodeChallenge(codeVerifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
                == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test(arguments: [0, 1, 43, 128])
    func `random texts have the length asked for and need no encoding`(length: Int) {
        let text = String.randomURLSafe(length: length)
        #expect(text.count == length)
        #expect(text.allSatisfy { String.urlSafeCharacters.contains($0) })
        #expect(text.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) == text)
    }

    @Test func `the characters are the unreserved ones`() {
        #expect(Set(String.urlSafeCharacters).count == 66)
        #expect(String.urlSafeCharacters.unicodeScalars.allSatisfy { $0.isASCII })
    }

    @Test func `every character occurs`() {
        #expect(Set(String.randomURLSafe(length: 20_000)) == Set(String.urlSafeCharacters))
    }

    @Test func `a generator of yours is used`() {
        struct Counter: RandomNumberGenerator {
            var state: UInt64 = 0
            mutating func next() -> UInt64 {
                state &+= 0x9E37_79B9_7F4A_7C15
                return state
            }
        }
        var (one, two) = (Counter(), Counter())
        let text = String.randomURLSafe(length: 64, using: &one)
        #expect(text == String.randomURLSafe(length: 64, using: &two))
        #expect(text != String.randomURLSafe(length: 64, using: &one))
    }

    @Test(
        arguments: [
            ([], ""), ([0x66], "Zg"), ([0x66, 0x6F], "Zm8"), ([3, 236, 255, 224, 193], "A-z_4ME"),
        ] as [([UInt8], String)])
    func `Base64URL has no padding`(bytes: [UInt8], text: String) {
        #expect(Data(bytes).base64URLEncodedString() == text)
    }
}
#endif
