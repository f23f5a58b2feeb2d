// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkSupport
import Foundation

/// Measures the promises of `Documentation/Performance.md` for the clients, and exits with 1 if a bound is missed.
///
///     swift run -c release --package-path Tests/Benchmarks --traits Clients ClientBenchmarks
///
/// Options: `[--json] [--strict] [--slow-down=FACTOR] [GROUP…]`
@main
struct ClientBenchmarks {
    static func main() {
        #if Clients
        BenchmarkRun(groups: [
            BenchmarkGroup(
                "urlsession", counted: compareURLSession, uncounted: { _ in [] }, measured: measureURLSession),
            BenchmarkGroup("asynchttpclient", counted: compareAsyncHTTPClient, measured: measureAsyncHTTPClient),
            BenchmarkGroup("grpc", measured: measureGRPC),
            BenchmarkGroup("uploads", measured: measureUploads),
            BenchmarkGroup("proofs", measured: measureProofs),
        ]).run()
        #else
        FileHandle.standardError.write(Data("The clients need their packages: add --traits Clients\n".utf8))
        exit(2)
        #endif
    }
}
