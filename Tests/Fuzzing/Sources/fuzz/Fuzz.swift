// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import CFuzzer
import Foundation

/// Gives one parser after another inputs that nobody wrote.
///
///     fuzz list                          the targets
///     fuzz NAME [OPTIONS] [FOLDER…]      libFuzzer on a target, with its options and corpora
///     fuzz NAME FILE                     one input again
///     fuzz linear NAME [FOLDER]          whether a target takes linear time, 1 KiB to 1 MiB
@main
enum Fuzz {
    static func main() {
        var arguments = CommandLine.arguments
        guard arguments.count > 1 else { fatalError("name a target, or list") }
        switch arguments[1] {
        case "list":
            for target in Target.all { print(target.name) }
        case "linear":
            guard arguments.count > 2, let target = Target.named(arguments[2]) else { fatalError("no such target") }
            let corpus = arguments.count > 3 ? arguments[3] : nil
            exit(LinearTime(target, corpus: corpus).check() ? 0 : 1)
        default:
            guard chosen != nil else { fatalError("no target is called \(arguments[1])") }
            arguments.remove(at: 1)
            drive(arguments)
        }
    }

    /// The target that libFuzzer runs. Its callback is a C function, which captures nothing.
    private static let chosen = Target.named(CommandLine.arguments[1])

    private static func drive(_ arguments: [String]) -> Never {
        var count = Int32(arguments.count)
        var texts: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        let status = texts.withUnsafeMutableBufferPointer { texts in
            var base = texts.baseAddress
            return LLVMFuzzerRunDriver(&count, &base) { data, size in
                Fuzz.chosen?.run([UInt8](UnsafeBufferPointer(start: data, count: size)))
                return 0
            }
        }
        exit(status)
    }
}
