// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Numbers ordered by a key, for instance a due time: a binary heap. Inserting one and removing the first cost O(log n).
struct EarliestFirst<Key: Comparable> {
    typealias Element = (key: Key, number: Int)

    /// But for the first, in no particular order.
    private(set) var heap: [Element]

    init(_ elements: [Element] = []) { heap = elements.sorted { $0 < $1 } }

    var count: Int { heap.count }

    var first: Element? { heap.first }

    mutating func insert(_ number: Int, key: Key) {
        heap.append((key, number))
        var index = heap.count - 1
        while index > 0, heap[index] < heap[(index - 1) / 2] {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var index = 0
        while let child = [2 * index + 1, 2 * index + 2].filter({ $0 < heap.count }).min(by: { heap[$0] < heap[$1] }),
            heap[child] < heap[index]
        {
            heap.swapAt(index, child)
            index = child
        }
    }
}
