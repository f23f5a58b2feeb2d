// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Numbers ordered by due time: a binary heap. Inserting one and removing the first cost O(log n).
struct DueOrder {
    typealias Element = (due: Duration, number: Int)

    private var heap: [Element] = []

    init() {}

    init(_ elements: [Element]) { heap = elements.sorted { $0.due < $1.due } }

    var count: Int { heap.count }

    var first: Element? { heap.first }

    mutating func insert(_ number: Int, due: Duration) {
        heap.append((due, number))
        var index = heap.count - 1
        while index > 0, heap[index].due < heap[(index - 1) / 2].due {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var index = 0
        while let child = [2 * index + 1, 2 * index + 2].filter({ $0 < heap.count }).min(by: {
            heap[$0].due < heap[$1].due
        }),
            heap[child].due < heap[index].due
        {
            heap.swapAt(index, child)
            index = child
        }
    }
}
