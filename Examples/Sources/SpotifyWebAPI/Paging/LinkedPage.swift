// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A part of a list, with the URL of the next part.
public protocol LinkedPage<Item>: Decodable, Sendable {
    associatedtype Item: Decodable & Sendable

    var items: [Item] { get }
    var next: URL? { get }
}
