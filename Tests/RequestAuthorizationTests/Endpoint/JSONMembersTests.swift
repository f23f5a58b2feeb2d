// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorization

/// What is found in the object of a server's answer, sound or damaged.
@Suite struct JSONMembersTests {
    private func found(_ text: String) -> [String: [String]]? {
        JSONMembers(Array(text.utf8))?.members.mapValues { $0.values.map { String(decoding: $0, as: UTF8.self) } }
    }

    private func form(_ text: String) -> JSONMembers.Form? { JSONMembers(Array(text.utf8))?.form }

    @Test func `an object is split into its names and the bytes of their values`() {
        let text =
            "\u{FEFF} \n{ \"a\" : 1 ,\t\"b\":\"x,\\\"}\\\\\",\"c\":[{\"d\":[]},{}, \"]\"],\"\":null,\"\\u0065\":1e400}\r\n "
        #expect(
            found(text) == [
                "a": ["1"], "b": [#""x,\"}\\""#], "c": [#"[{"d":[]},{}, "]"]"#], "": ["null"], "e": ["1e400"],
            ])
        #expect(form(text) == .whole)
        #expect(found("{}") == [:] && form(" { } ") == .whole)
    }

    @Test(arguments: ["", " ", "[]", "\"a\"", "<html>{\"a\":1}</html>", "a=1", "1", "null", "\u{FEFF}", "}"])
    func `anything else is no object`(text: String) { #expect(JSONMembers(Array(text.utf8)) == nil) }

    @Test func `RFC 8259 §8.1: UTF-16 is no object`() {
        let units = Array(#"{"a":1}"#.utf16)
        let little = units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        #expect(JSONMembers(little) == nil)
        #expect(JSONMembers([0] + little.dropLast()) == nil)
    }

    @Test func `of a repeated name all values are found, and equal ones once`() {
        #expect(found(#"{"a":1,"b":2,"a":1,"a":3}"#) == ["a": ["1", "3"], "b": ["2"]])
    }

    private static let damages: [(String, String, JSONMembers.Form)] = [
        // Values that no decoder accepts are the decoder's matter.
        (#"{"x":NaN,"r":"1"}"#, "whole", .whole), ("{\"x\":\"\u{0}\n\",\"r\":\"1\"}", "raw control bytes", .whole),
        (#"{"x":"Ada "the" Great","r":"1"}"#, "quotes in a text", .broken),
        (#"{"x":"Ada,"r":"1"}"#, "a missing quote", .broken), (#"{"x":Ada","r":"1"}"#, "another", .broken),
        (#"{"x":"Ada\","r":"1"}"#, "an escaped quote", .broken), (#"{"x""Ada","r":"1"}"#, "no colon", .broken),
        (#"{"x":,"r":"1"}"#, "no value", .broken), (#"{,"r":"1"}"#, "no member", .broken),
        (#"{"x:"Ada","r":"1"}"#, "a name without its end", .broken), (#"{x:1,"r":"1"}"#, "a bare name", .broken),
        (#"{'x':'a','r':'b',"r":"1"}"#, "single quotes", .broken),
        (#"{"x":{,"r":"1"}"#, "an open brace", .broken), (#"{"x":[1,"r":"1"}"#, "an open bracket", .broken),
        (#"{"x":{"id":7,"r":"1"}"#, "no closing brace", .broken), (#"{"x":1},"r":"1"}"#, "one too many", .broken),
        (#"{"x":"id":7,"r":"0"},"r":"1"}"#, "no opening brace", .broken),
        (#"{"r":"1","x":"id":7,"r":"0"}}"#, "no opening brace, after the member", .broken),
        (#"{"x":{"id":7,"r":"0","y":"a"b"},"r":"1"}"#, "a quote in a nested object", .broken),
        (#"{"r":"1",}"#, "a comma too many", .broken), (#"{"r":"1"}<!-- served by a -->"#, "text behind", .broken),
        (#"{"r":"1"} {"x":2}"#, "an object behind", .broken), (#"{"r":"1","#, "the end is missing", .cutOff),
        (#"{"r":"1""#, "the brace is missing", .cutOff), (#"{"r":"1","x":"a"#, "cut in a text", .cutOff),
        (#"{"r":"1","x":{"r":"0","y"#, "cut in an object", .cutOff), (#"{"r":"1","x":[[]"#, "cut in a list", .cutOff),
        (#"{"r":"1","x":{"y":2}"#, "cut behind an object", .broken), (#"{"r":"1","x":[]"#, "or behind a list", .cutOff),
    ]

    @Test(arguments: damages)
    func `a damaged object still has the members that are sound`(
        text: String, damage: String, form: JSONMembers.Form
    ) {
        let answer = JSONMembers(Array(text.utf8))
        #expect(answer?.members["r"]?.values.map { String(decoding: $0, as: UTF8.self) } == [#""1""#], "\(damage)")
        #expect(answer?.form == form, "\(damage)")
    }

    @Test(arguments: [
        #"{"x":{"r":"0"}}"#, #"{"x":{"r":"0","y":"a"b"}}"#, #"{"x":{"r":"0","y"#, #"{"x":{"r":"0"},"y"#,
        #"{"x":[{"r":"0"},{"y":1"#, #"{"x":"{\"r\":\"0\"}"}"#, #"{"x":",\"r\":\"0\",","y":"a"b"}"#,
        #"{"x":["a","r",":0"],"y":"a"b"}"#,
    ])
    func `a member of another object, or of a text, is not taken for one of this object`(text: String) {
        #expect(JSONMembers(Array(text.utf8))?.members["r"] == nil)
    }

    @Test func `a value whose end cannot be told is no value, and of a number a part may be missing`() {
        #expect(found(#"{"a":"x"y","b":1}"#) == ["a": [], "b": ["1"]])
        #expect(found(#"{"b":1,"a":12"#) == ["a": [], "b": ["1"]])
        #expect(found(#"{"b":1,"a":"12"#) == ["a": [], "b": ["1"]])
        #expect(found(#"{"a":[1,{"b":2]}"#)?["a"] == [])
    }

    @Test func `a path leads to a text through objects that are whole, and a name with dots comes first`() {
        func text(_ json: String, _ path: String) -> String? { JSONMembers(Array(json.utf8))?.text(at: path) }
        #expect(text(#"{"error":{"code":"a","x":1e400}}"#, "error.code") == "a")
        #expect(text(#"{"a":{"b":{"c":"\u00e4"}}}"#, "a.b.c") == "ä")
        #expect(text(#"{"error.code":"b","error":{"code":"a"}}"#, "error.code") == "b")
        for json in [
            #"{"error":"a"}"#, #"{"error":{"code":7}}"#, #"{"error":{"code":["a"]}}"#, #"{"error":[{"code":"a"}]}"#,
            #"{"error":{"code":"a","code":"b"}}"#, #"{"error":{"code":"a"}"#, #"{"error":{"code":"a"}}x"#, "{}", "",
        ] {
            #expect(text(json, "error.code") == nil, "\(json)")
        }
        #expect(text("{}", "") == nil && text("{}", ".") == nil && text(#"{"":{"":"a"}}"#, ".") == "a")
    }

    // MARK: - Attacks

    private static let needed = [#""access_token":"a""#, #""refresh_token":"r1""#, #""token_type":"Bearer""#]
    private static let others = [
        #""name":"Ada, \"the\" {1}""#, #""quota":12.5"#, #""roles":["x","y",{"z":[]}]"#, #""":null"#,
        #""user":{"id":7,"token":"nested","name":"A"}"#, #""url":"https:\/\/a.example\/?a=[b]""#,
    ]
    private static let marks = Array("\"\"\"\\{}[]::,,  \n\t\0'x7-".utf8) + [0xE4, 0xFF]

    /// An answer with one to four faults in one member that is not needed.
    private static func damaged(_ random: inout Seeded) -> [UInt8] {
        var members = (needed + others).shuffled(using: &random).map { Array($0.utf8) }
        let hit = members.indices.filter { !needed.contains(String(decoding: members[$0], as: UTF8.self)) }
            .randomElement(using: &random)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            guard let hit, let place = members[hit].indices.randomElement(using: &random) else { continue }
            let byte = marks.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<4, using: &random) {
            case 0: members[hit][place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: members[hit][place] = byte
            case 2: members[hit].insert(byte, at: place + Int.random(in: 0...1, using: &random))
            default: members[hit].removeSubrange(place..<min(place + 3, members[hit].count))
            }
        }
        return Array("{".utf8) + members.joined(separator: Array(",".utf8)) + Array("}".utf8)
    }

    @Test(arguments: 0..<4)
    func `faults in a member that is not needed lose no other member`(seed: Int) {
        var random = Seeded(seed: UInt64(seed))
        var forms: [JSONMembers.Form: Int] = [:]
        for _ in 0..<25_000 {
            let body = Self.damaged(&random)
            let answer = JSONMembers(body)
            for (name, value) in [("refresh_token", #""r1""#), ("access_token", #""a""#), ("token_type", #""Bearer""#)]
            {
                let found = answer?.members[name]?.values.last.map { String(decoding: $0, as: UTF8.self) }
                if found != value { Issue.record("\(name): \(String(decoding: body, as: UTF8.self))") }
            }
            if let form = answer?.form { forms[form, default: 0] += 1 }
        }
        // The faults are of all kinds.
        #expect(forms[.whole, default: 0] > 2_000 && forms[.broken, default: 0] > 2_000)
    }

    @Test(arguments: [
        "\"", "\\", "{", "[", ",", ":", " ", "a", "{\"a\":", "[1,", "\"a\":[1,", ",\"a\":{", ",\"a\":[", ",\"a\":\"",
        ",\"", ",\"a", ",\"a\":1", ",\"a\":1 x", ",\"a\":[1]x", ",\"a\":{\"b\":[", "}", "]", "{\"a\":[{},", ",\"a\"  ",
        ",\"a\":  ", ",\"\\", "{\"a\"", "\"a\":1,",
    ])
    func `each byte is read a constant number of times`(pattern: String) {
        for prefix in ["{", #"{"x":"#, #"{"x":"a"b,"#, "{},"] {
            for size in [1_000, 32_000] {
                let text = prefix + String(repeating: pattern, count: size / pattern.utf8.count)
                let bytes = CountingBytes(Array(text.utf8))
                _ = JSONObjectScanner(bytes)
                #expect(bytes.reads.count <= 24 * bytes.count, "\(prefix)\(pattern): \(bytes.reads.count)")
            }
        }
    }
}
