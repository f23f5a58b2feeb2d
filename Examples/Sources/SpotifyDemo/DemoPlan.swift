// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import LocalSpotify

/// The schedule of calls and faults.
///
/// The calls come in waves. The pauses between them last six token lifetimes in total, so that every other wave finds
/// the token expired and waits for one refresh.
struct DemoPlan: Hashable, Sendable {
    struct Wave: Hashable, Sendable {
        /// From the end of the last wave to the beginning of this one.
        let pause: Duration
        let calls: Int
        /// The faults of calls and refreshes from here on.
        var faults: [PlannedFault] = []
        /// Whether all access tokens are revoked just before.
        var revokes = false
    }

    struct PlannedFault: Hashable, Sendable {
        let fault: Fault
        let target: Fault.Target
        var times = 1
    }

    static let lifetimes = 6
    static let mostWaves = 12
    static let mostAtATime = 100

    let waves: [Wave]

    /// The sum of all pauses.
    var span: Duration { waves.reduce(.zero) { $0 + $1.pause } }

    init(_ options: DemoOptions) {
        let count = max(1, min(Self.mostWaves, options.requests))
        let span = Duration.seconds(options.tokenLifetime * Self.lifetimes)
        waves = (0..<count).map { index in
            Wave(
                pause: index == 0 ? .zero : span / (count - 1),
                calls: options.requests * (index + 1) / count - options.requests * index / count,
                faults: options.faults ? Self.faults(beforeWave: index) : [], revokes: index == count / 2)
        }
    }

    /// Never makes two refreshes in a row fail, so that the next wave has a token.
    private static func faults(beforeWave index: Int) -> [PlannedFault] {
        switch index {
        case 1: [.init(fault: .slow(.milliseconds(300)), target: .webAPI, times: 5)]
        case 2: [.init(fault: .slow(.milliseconds(300)), target: .tokenEndpoint)]
        case 3: [.init(fault: .status(500), target: .webAPI, times: 3)]
        case 4: [.init(fault: .hang, target: .tokenEndpoint)]
        case 5: [.init(fault: .rateLimited(retryAfter: 1), target: .webAPI, times: 3)]
        case 7: [.init(fault: .dropped, target: .webAPI, times: 3), .init(fault: .hang, target: .webAPI, times: 2)]
        case 8: [.init(fault: .answerLost, target: .tokenEndpoint)]
        case 10: [.init(fault: .status(503), target: .tokenEndpoint)]
        default: []
        }
    }
}
