// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Finds the members of a JSON object (RFC 8259 §4), also of a damaged one.
///
/// It looks at quotes, brackets, colons and commas only, so that a value that no decoder accepts is found like any
/// other. It does not recurse, and reads each byte a constant number of times.
///
/// From the first damage on it searches for what begins like a member: a comma or a brace, a name in quotes, a colon.
struct JSONObjectScanner<Bytes: RandomAccessCollection> where Bytes.Element == UInt8, Bytes.Index == Int {
    struct Member: Hashable {
        /// The name with its quotes.
        let name: Range<Int>
        /// The value; `nil` if its end cannot be told.
        let value: Range<Int>?
        /// The brackets around the member, counted from the object: zero or less for its own members.
        let depth: Int
        /// Whether everything before the member was sound.
        let isSure: Bool
    }

    private(set) var members: [Member] = []
    /// The state of the object; `nil` if there is none.
    private(set) var form: JSONMembers.Form?
    private let bytes: Bytes
    private var place: Int

    init(_ bytes: Bytes) {
        (self.bytes, place) = (bytes, bytes.startIndex)
        scan()
    }

    private mutating func scan() {
        // RFC 8259 §8.1: a byte order mark may be ignored.
        skipBlanks()
        if bytes[place...].starts(with: [0xEF, 0xBB, 0xBF]) { place += 3 }
        guard next() == .openBrace else { return }
        form = .whole
        place += 1
        if next() == .closeBrace {
            place += 1
        } else {
            while let isLast = scanMember() {
                if isLast { break }
            }
        }
        guard form == .whole, next() != nil else { return }
        salvage(from: place, depth: -1)
    }

    /// Reads a member, and the comma or the brace behind it.
    ///
    /// - Returns: whether the object ends with it; `nil` if the rest has been read otherwise.
    private mutating func scanMember() -> Bool? {
        guard let start = skipBlanks() else { return end(.cutOff) }
        guard let name = skipName() else { return salvage(from: start, depth: 0, mayBegin: true) }
        let begin = place
        let isSound = skipValue()
        let member = Member(name: name, value: begin..<place, depth: 0, isSure: true)
        let mark = isSound ? next() : nil
        if mark == .comma || mark == .closeBrace {
            members.append(member)
            place += 1
            return mark == .closeBrace
        }
        // An object that ends with the body may have lost a brace of its own, and so have taken in the next members.
        if isSound, mark == nil, isClosed(begin..<place), bytes[begin] != .openBrace {
            members.append(member)
            return end(.cutOff)
        }
        members.append(Member(name: name, value: nil, depth: 0, isSure: true))
        return salvage(from: begin, depth: 0)
    }

    private mutating func end(_ form: JSONMembers.Form) -> Bool? {
        self.form = form
        return nil
    }

    /// Whether a value that the body ends with is whole: of a number a part may be missing.
    private func isClosed(_ value: Range<Int>) -> Bool {
        value.last.map { [.quote, .closeBrace, .closeBracket].contains(bytes[$0]) } ?? false
    }
}

// MARK: - Sound parts

extension JSONObjectScanner {
    private var byte: UInt8? { place < bytes.endIndex ? bytes[place] : nil }

    /// The next byte that is no blank; the place is then there.
    private mutating func next() -> UInt8? { skipBlanks().map { bytes[$0] } }

    @discardableResult
    private mutating func skipBlanks() -> Int? {
        while let byte {
            if !byte.isJSONBlank { return place }
            place += 1
        }
        return nil
    }

    /// Skips a name, its colon and the blanks around that.
    private mutating func skipName() -> Range<Int>? {
        let start = place
        guard byte == .quote, skipText() else { return nil }
        let name = start..<place
        guard next() == .colon else { return nil }
        place += 1
        return skipBlanks() == nil ? nil : name
    }

    private mutating func skipText() -> Bool {
        place += 1
        while let byte {
            place += byte == .backslash ? 2 : 1
            if byte == .quote { return true }
        }
        place = bytes.endIndex
        return false
    }

    /// Skips a number, a literal, or what stands in place of one.
    private mutating func skipWord() -> Bool {
        let start = place
        while let byte, !byte.isJSONBlank, !byte.isJSONMark { place += 1 }
        return place > start
    }

    /// Skips a value with all that is in it.
    ///
    /// - Returns: `false` if its brackets, quotes, colons or commas are not those of a JSON value.
    private mutating func skipValue() -> Bool {
        var open: [UInt8] = []
        while true {
            switch byte {
            case nil: return false
            case .quote?: guard skipText() else { return false }
            case .openBrace?, .openBracket?:
                guard let isEmpty = skipOpening(&open) else { return false }
                if !isEmpty { continue }
            default: guard skipWord() else { return false }
            }
            guard let isDone = skipClosings(&open) else { return false }
            if isDone { return true }
        }
    }

    /// - Returns: whether nothing is in the brackets, which are then skipped; `nil` if they are damaged.
    private mutating func skipOpening(_ open: inout [UInt8]) -> Bool? {
        let bracket = bytes[place]
        place += 1
        if next() == (bracket == .openBrace ? .closeBrace : .closeBracket) {
            place += 1
            return true
        }
        open.append(bracket)
        return bracket == .openBrace && skipName() == nil ? nil : false
    }

    /// Skips the brackets that close behind a value, or a comma and the name behind it.
    ///
    /// - Returns: whether all brackets are closed; `nil` if they do not match.
    private mutating func skipClosings(_ open: inout [UInt8]) -> Bool? {
        while let bracket = open.last {
            switch (next(), bracket) {
            case (.comma, _):
                place += 1
                skipBlanks()
                return bracket == .openBrace && skipName() == nil ? nil : false
            case (.closeBrace, .openBrace), (.closeBracket, .openBracket):
                place += 1
                open.removeLast()
            default: return nil
            }
        }
        return true
    }
}

// MARK: - Damaged parts

extension JSONObjectScanner {
    /// Searches the rest for members. Their depth is that of the brackets, in texts too: which these are is not known.
    ///
    /// A deeper member counts only if the brackets do not match although the body ends with a brace. Then one of them
    /// is damaged, and the depth means nothing.
    ///
    /// - Parameter mayBegin: whether a member may begin at this place.
    @discardableResult
    private mutating func salvage(from start: Int, depth: Int, mayBegin: Bool = false) -> Bool? {
        let sure = members
        members = []
        place = start
        var (rest, mayBegin, readsBrackets) = (depth, mayBegin, true)
        var last: UInt8?
        while let byte {
            if byte == .quote, mayBegin, skipMember(depth: rest, &readsBrackets) {
                (mayBegin, last) = (false, .quote)
                continue
            }
            switch byte {
            case .openBrace, .openBracket: rest += 1
            case .closeBrace, .closeBracket: rest -= 1
            default: break
            }
            if !byte.isJSONBlank { (mayBegin, last) = (byte == .comma || byte == .openBrace, byte) }
            place += 1
        }
        let isDepthKnown = last != .closeBrace || rest == -1
        members = sure + members.filter { $0.depth <= 0 || !isDepthKnown }
        return end(last == .closeBrace || depth < 0 ? .broken : .cutOff)
    }

    /// Skips a member from its name to its value's end. If it is damaged, the search goes on at its value.
    ///
    /// - Returns: whether the place has changed.
    private mutating func skipMember(depth: Int, _ readsBrackets: inout Bool) -> Bool {
        let start = place
        guard let name = skipName() else {
            place = start
            return false
        }
        let begin = place
        let hasBrackets = byte == .openBrace || byte == .openBracket
        let isSound = (!hasBrackets || readsBrackets) && skipValue()
        let value = begin..<place
        let mark = isSound ? next() : nil
        if [.comma, .closeBrace, .closeBracket].contains(mark) || isSound && mark == nil && isClosed(value) {
            members.append(Member(name: name, value: value, depth: depth, isSure: false))
            place = value.upperBound
        } else {
            members.append(Member(name: name, value: nil, depth: depth, isSure: false))
            place = begin
            // Values that end nowhere are read once: else the time would grow with the square of the length.
            if hasBrackets { readsBrackets = false }
        }
        return true
    }
}

// MARK: - Bytes

extension UInt8 {
    fileprivate static var quote: UInt8 { UInt8(ascii: "\"") }
    fileprivate static var backslash: UInt8 { UInt8(ascii: "\\") }
    fileprivate static var comma: UInt8 { UInt8(ascii: ",") }
    fileprivate static var colon: UInt8 { UInt8(ascii: ":") }
    fileprivate static var openBrace: UInt8 { UInt8(ascii: "{") }
    fileprivate static var closeBrace: UInt8 { UInt8(ascii: "}") }
    fileprivate static var openBracket: UInt8 { UInt8(ascii: "[") }
    fileprivate static var closeBracket: UInt8 { UInt8(ascii: "]") }

    /// RFC 8259 §2.
    package var isJSONBlank: Bool { [0x20, 0x09, 0x0A, 0x0D].contains(self) }

    fileprivate var isJSONMark: Bool {
        switch self {
        case .quote, .comma, .colon, .openBrace, .closeBrace, .openBracket, .closeBracket: true
        default: false
        }
    }
}
