// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

// sample: client
import RequestAuthorization

extension Parcel: AuthorizableRequest {
    var origin: Origin? { Origin(address) }
    var isReplayable: Bool { if case .stream? = body { false } else { true } }
    var requestMethod: String? { verb }
    var targetURI: String? { String(address.absoluteString.prefix { $0 != "#" }) }
    func credential(in field: String) -> String? { headers[field.lowercased()] }
    mutating func setCredential(_ value: String, in field: String) { headers[field.lowercased()] = value }
}

extension ParcelAnswer: AuthorizableResponse {
    var statusCode: Int { code }
    func headerValues(for field: String) -> [String] {
        headers.filter { $0.name.lowercased() == field.lowercased() }.map(\.value)
    }
}

extension ParcelClient {
    func run(
        _ parcel: Parcel, authorizedBy provider: some AuthorizationProvider, refreshCount: Int = 1
    ) async throws -> ParcelAnswer {
        var credential = try await provider.credential(for: parcel)
        var (parcel, refreshesLeft, proofsLeft, hopsLeft) = (parcel, refreshCount, 2, 20)
        while true {
            var sent = parcel  // A copy: what is sent again, or elsewhere, has no credential yet.
            try sent.set(credential)
            try Task.checkCancellation()
            let answer = try await run(sent)
            let verdict = try await credential.judge(
                answer, afterRefresh: refreshesLeft < refreshCount && refreshesLeft == 0)
            switch verdict {
            case .anew where refreshesLeft > 0 && parcel.isReplayable:
                (refreshesLeft, proofsLeft) = (refreshesLeft - 1, 2)
            case .newProof where proofsLeft > 0 && parcel.isReplayable: proofsLeft -= 1
            default:
                guard hopsLeft > 0, let next = answer.redirection(of: parcel),
                    next.body == nil || parcel.isReplayable  // A body that can be read once is sent once.
                else { return answer }
                guard next.origin == parcel.origin else { return try await run(next) }  // without the credential
                (parcel, hopsLeft) = (next, hopsLeft - 1)
                guard credential.isForOneRequest else { continue }
            }
            let following = try await provider.credential(for: parcel)
            try credential.admit(following)  // Nothing is sent in another person's name.
            credential = following
        }
    }
}
// end sample
