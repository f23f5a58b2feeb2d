// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The HTTP client of the library in the samples.
struct WidgetClient: Sendable {
    let send: @Sendable (WidgetRequest) async throws -> WidgetResponse

    func send(_ request: WidgetRequest) async throws -> WidgetResponse { try await send(request) }
}

struct WidgetRequest: Sendable {
    var host: String
    var path: String
    var fields = WidgetFields()
}

struct WidgetResponse: Sendable {
    var statusCode: Int
    var fields = WidgetFields()
}

/// Header fields, names compared without case.
struct WidgetFields: Sendable {
    private var lines: [(name: String, value: String)] = []

    subscript(name: String) -> [String] { lines.filter { $0.name == name.lowercased() }.map(\.value) }

    subscript(name: String) -> String? {
        get { self[name].first }
        set {
            lines.removeAll { $0.name == name.lowercased() }
            if let newValue { lines.append((name.lowercased(), newValue)) }
        }
    }
}
