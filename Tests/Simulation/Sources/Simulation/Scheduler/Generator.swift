// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Random numbers that follow from a seed (SplitMix64).
public struct Generator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    /// A stream of its own: numbers drawn from one stream do not change those of another.
    public init(seed: UInt64, stream: UInt64) {
        var mixer = Generator(seed: seed)
        var second = Generator(seed: mixer.next() &+ stream &* 0x9E37_79B9_7F4A_7C15)
        state = second.next()
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number in `0..<bound`. Its slight bias does not matter here.
    public mutating func below(_ bound: Int) -> Int { bound <= 1 ? 0 : Int(next() % UInt64(bound)) }

    public mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// A time between two times.
    mutating func time(_ range: ClosedRange<SimulatedTime>) -> SimulatedTime {
        range.lowerBound + Int64(next() % UInt64(range.upperBound - range.lowerBound + 1))
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}

/// Nanoseconds since the beginning of a run.
public typealias SimulatedTime = Int64

extension SimulatedTime {
    static func seconds(_ number: Double) -> SimulatedTime { SimulatedTime(number * 1e9) }
    static func milliseconds(_ number: Double) -> SimulatedTime { SimulatedTime(number * 1e6) }

    /// - Parameter duration: a longer one than 30 years counts as 30 years.
    init(_ duration: Duration) {
        let parts = duration.components
        self = Swift.min(parts.seconds, 1_000_000_000) * 1_000_000_000 + parts.attoseconds / 1_000_000_000
    }
}
