// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Testing

@testable import BenchmarkSupport

@Suite struct BenchmarkOptionsTests {
    @Test func `options and groups come in any order`() throws {
        let options = try BenchmarkOptions(["grpc", "--json", "--slow-down=1.05", "urlsession", "--strict"])
        #expect(options.groups == ["grpc", "urlsession"])
        #expect(options.isJSON)
        #expect(options.isStrict)
        #expect(options.slowDown == 1.05)
    }

    @Test func `what is measured again is written as JSON`() throws {
        let options = try BenchmarkOptions(["grpc", "--again"])
        #expect(options.isAgain && options.isJSON)
    }

    @Test(arguments: [
        "--slow-down", "--slow-down=fast", "--slow-down=0.9", "--slow-down=nan", "--fast", "--json=1", "-h",
    ])
    func `an unknown argument is an error`(argument: String) {
        #expect(throws: BenchmarkError.self) { try BenchmarkOptions([argument]) }
    }
}
