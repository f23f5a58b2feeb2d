// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

@testable import EnvelopeParts
import Foundation
@testable import RequestAuthorization
@testable import RequestAuthorizationOAuth
@testable import RequestAuthorizationStorage

extension Target {
    private static let byteShapes = [
        "{\"status\":\"token\"", "a", "%", "%41", ",", "\0", "intent1\n", "RASE", "{", "[", "\u{7F}",
    ]

    /// A stored item that is read is written as it was.
    static let storedItems = Target("stored-items", shapes: jsonShapes) { input in
        typealias Format = StoredTokenFormat<OAuthToken>
        guard let stored = try? Format.decode(Data(input)), let item = try? Format.encode(stored) else { return }
        let again = try? Format.decode(item)
        claim(again == stored, "the item is not kept as it is")
    }

    /// An intent, and the record around it.
    static let intents = Target("intents", shapes: byteShapes) { input in
        if let intent = IntentRecord.decode(Data(input)), !intent.isEmpty {
            claim(IntentRecord.decode(IntentRecord.encode(intent)) == intent, "another intent")
        }
        guard let intent = RefreshIntentFormat.decode(Data(input)) else { return }
        let again = (try? RefreshIntentFormat.encode(intent)).flatMap { RefreshIntentFormat.decode($0) }
        claim(again?.session == intent.session && again?.generation == intent.generation, "another intent")
    }

    /// A record of a database.
    static let records = Target("records", shapes: byteShapes) { input in
        guard let record = try? LeasedRecord(decoding: Data(input)) else { return }
        let again = try? LeasedRecord(decoding: record.encoded)
        claim(again?.encoded == record.encoded, "the record is not kept as it is")
    }

    /// The name of a file: one that is read is the name of what it stands for.
    static let fileNames = Target("file-names", shapes: byteShapes) { input in
        guard let name = CredentialName(stem: input.text[...]) else { return }
        claim(!name.stem.contains("/") && !name.stem.contains("."), "the name has parts")
        if name.stem.utf8.count < 100 { claim(name.stem == input.text, "another name") }
    }

    /// An encrypted token: an envelope is written as it was read.
    static let envelopes = Target("envelopes", shapes: byteShapes) { input in
        guard let envelope = try? Envelope(Data(input)) else { return }
        claim(envelope.bytes == Data(input), "another envelope")
    }
}
