// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

extension Duration {
    package var nanoseconds: Double { Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9 }
}

extension Double {
    /// A time that people can read.
    package var asTime: String {
        switch self {
        case ..<1e4: "\(Int(rounded())) ns"
        case ..<1e7: "\(rounded(places: 1, per: 1e3)) µs"
        default: "\(rounded(places: 1, per: 1e6)) ms"
        }
    }

    package func rounded(places: Int, per unit: Double = 1) -> Double {
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        return (self / unit * scale).rounded() / scale
    }
}

extension [Double] {
    /// The median, or 0 for no values.
    package var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}
