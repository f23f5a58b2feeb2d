// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A figure could not be measured.
package struct BenchmarkError: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}
