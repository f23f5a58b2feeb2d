// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// Compares what a byte costs in inputs of different sizes: 4 KiB, 64 KiB and 1 MiB.
///
/// A parser that takes linear time needs about the same processor time for a byte of each. One that takes quadratic time
/// needs 16 times as much where the input is 16 times as long. The bound lies between.
struct LinearTime {
    private static let sizes = [1 << 12, 1 << 16, 1 << 20]
    private static let bound = 4.0
    /// Less time in all, in seconds, is not compared.
    private static let noise = 0.002

    private let target: Target
    private let shapes: [[UInt8]]

    /// - Parameter corpus: a folder of inputs, each of which is repeated too.
    init(_ target: Target, corpus: String?) {
        self.target = target
        let files = corpus.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0).sorted() } ?? []
        let inputs = files.compactMap { FileManager.default.contents(atPath: "\(corpus ?? "")/\($0)") }
        shapes = target.shapes.map { Array($0.utf8) } + inputs.map { [UInt8]($0) }.filter { !$0.isEmpty }
    }

    /// Prints the shapes that take more time, and returns whether there are none.
    func check() -> Bool {
        var worst = 0.0
        var isLinear = true
        for shape in shapes {
            for (small, large) in zip(Self.sizes, Self.sizes.dropFirst()) {
                let ratio = ratio(shape, small, large)
                worst = max(worst, ratio)
                guard ratio > Self.bound else { continue }
                isLinear = false
                let text = Data(shape.prefix(200)).base64EncodedString()
                let cost = (ratio * 10).rounded() / 10
                print("\(target.name): a byte of \(large) costs \(cost) times one of \(small): \(text), repeated")
            }
        }
        print("\(target.name): \(shapes.count) shapes, at most \((worst * 10).rounded() / 10) times as much for a byte")
        return isLinear
    }

    private func input(_ shape: [UInt8], _ size: Int) -> [UInt8] {
        var input: [UInt8] = []
        input.reserveCapacity(size + shape.count)
        while input.count < size { input += shape }
        return Array(input.prefix(size))
    }

    /// How many times as much a byte of the larger input costs. A machine that was busy is asked again.
    private func ratio(_ shape: [UInt8], _ small: Int, _ large: Int) -> Double {
        let inputs = (input(shape, small), input(shape, large))
        var times = (Double.infinity, Double.infinity)
        for _ in 0..<4 {
            times.0 = min(times.0, time(inputs.0, rounds: max(1, (1 << 14) / small)))
            times.1 = min(times.1, time(inputs.1, rounds: 1))
            if times.1 < Self.noise { return 0 }
            let ratio = (times.1 / Double(large)) / (times.0 / Double(small))
            if ratio <= Self.bound { return ratio }
        }
        return (times.1 / Double(large)) / (times.0 / Double(small))
    }

    /// The processor time of one run, in seconds.
    private func time(_ input: [UInt8], rounds: Int) -> Double {
        let begin = Self.now
        for _ in 0..<rounds { target.run(input) }
        return (Self.now - begin) / Double(rounds)
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
