// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The public types that the sources of the package declare.
package enum PublicTypes {
    /// The names of the modules.
    package static func modules() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: sources.path).filter { !$0.hasPrefix(".") })
    }

    /// The names of the types. A nested type is `Outer.Inner`.
    package static func declared(in modules: Set<String>) throws -> Set<String> {
        try modules.reduce(into: []) { names, module in
            let folder = sources.appending(path: module)
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".swift")
            {
                names.formUnion(declared(in: try String(contentsOf: folder.appending(path: path), encoding: .utf8)))
            }
        }
    }

    /// Relies on the formatter's indentation: a declaration in the first column encloses the indented lines after it.
    private static func declared(in source: String) -> Set<String> {
        var names: Set<String> = []
        var enclosing = ""
        for line in source.split(separator: "\n") {
            let isOutermost = line.first?.isWhitespace == false
            if isOutermost, let match = line.firstMatch(of: /\b(?:extension|class|struct|enum|actor|protocol) ([\w.]+)/)
            {
                enclosing = String(match.1)
            }
            guard let match = line.firstMatch(of: declaration) else { continue }
            names.insert(isOutermost ? String(match.1) : "\(enclosing).\(match.1)")
        }
        return names
    }

    private static var declaration: Regex<(Substring, Substring)> {
        /^\s*(?:@\w+(?:\([^)]*\))? )*(?:public|open) (?:(?:final|indirect|nonisolated|distributed) )*(?:class|struct|enum|actor) (\w+)/
    }

    private static var sources: URL {
        URL(filePath: #filePath).appending(path: "../../../../Sources").standardizedFileURL
    }
}
