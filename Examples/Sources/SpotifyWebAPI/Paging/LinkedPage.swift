// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A stretch of a list that knows the address of the next one.
public protocol LinkedPage<Item>: Decodable, Sendable {
    associatedtype Item: Decodable & Sendable

    var items: [Item] { get }
    var next: URL? { get }
}
