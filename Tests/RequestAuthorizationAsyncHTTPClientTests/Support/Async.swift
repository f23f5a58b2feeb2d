// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
extension Array where Element: Sendable {
    /// The elements as an asynchronous sequence, which can be read any number of times.
    var async: AsyncElements<Element> { AsyncElements(elements: self) }
}

struct AsyncElements<Element: Sendable>: AsyncSequence, Sendable {
    let elements: [Element]

    func makeAsyncIterator() -> Iterator { Iterator(elements: elements.makeIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        var elements: IndexingIterator<[Element]>

        mutating func next() async -> Element? { elements.next() }
    }
}
#endif
