// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkSupport
import RequestAuthorization

#if Telemetry
import RequestAuthorizationTelemetry
#endif

/// The cost of logs, metrics and traces while the token is valid: nothing.
func compareTelemetry() async throws -> [Comparison] {
    #if Telemetry
    let logger = Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() }
    let bare = RefreshableTokenAuthorization(service: GatedService(), token: BenchmarkToken.valid)
    let reported = RefreshableTokenAuthorization(service: GatedService(), token: BenchmarkToken.valid)
    reported.report(to: .init(logger: logger, label: "benchmark"))
    let contenders = [reported, bare].map { auth in
        Contender(times: 10_000) { times in
            for _ in 0..<times { keep(try await auth.authorize(SlotRequest())) }
        }
    }
    return [
        Comparison(
            "authorize with telemetry / without", contenders[0], against: contenders[1], bound: 1.02, rounds: 200)
    ]
    #else
    return []
    #endif
}
