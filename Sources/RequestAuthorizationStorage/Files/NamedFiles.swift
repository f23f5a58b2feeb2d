// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Items in files that only their owner can open, for any number of processes on one machine.
///
///     let items = NamedFiles(client: "tool")
///
/// They are in the folder of the tokens, and are not listed as accounts.
public struct NamedFiles: NamedItems, RedactedDescription {
    private let client: String
    private let folder: TokenFolder

    /// Names the client. The folder is opened on first use of an item.
    ///
    /// - Parameters:
    ///   - client: the client that tokens are issued to, such as an OAuth client id; any text.
    ///   - folder: the folder of the files.
    public init(client: String, folder: TokenFolder = .default) { (self.client, self.folder) = (client, folder) }

    public func item(named name: String, kind: String) -> RestrictedFileItems {
        RestrictedFileItems(client: "\(client) \(kind)", account: name, folder: folder)
    }
}

extension NamedItems where Self == NamedFiles {
    /// Files for a command-line tool, on every platform.
    ///
    /// - Parameter client: the client that tokens are issued to, such as an OAuth client id.
    public static func tool(client: String) -> NamedFiles { NamedFiles(client: client) }
}
