// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension ResourceSessions {
    /// What the records could not keep or give yet.
    struct Unfinished {
        /// The record of a new session. Until it is saved, the sign-in counts for this process.
        var record: ResourceRecord?
        /// Whether a session that could not be read is to be signed out.
        var isReset = false
    }

    /// Signs out here. A session that cannot be read now is signed out before it is used.
    func reset() async {
        dropSignIn()
        unfinished = Unfinished(isReset: true)
        await finishOrTryAgain()
    }

    /// Does what is unfinished. If that fails, it is tried again while the program runs.
    func finishOrTryAgain() async {
        guard (try? await finish()) == nil else { return }
        Task.detached { [weak self, clock = settings.clock] in
            for pause in recordPauses {
                guard (try? await clock.sleep(for: pause)) != nil, let self else { return }
                if (try? await finish()) != nil { return }
            }
        }
    }

    /// Does what is unfinished.
    ///
    /// - Throws: the error of the records.
    func finish() async throws {
        if unfinished.isReset { _ = try await loaded() }
        guard let record = unfinished.record else { return }
        try await settings.records.save(value: record, named: "resource \(settings.url)")
        if unfinished.record?.signIn == record.signIn { unfinished.record = nil }
    }
}

/// The pauses between tries. After them only ``ProtectedResourceAuthorization/settle(within:)`` tries again.
private let recordPauses: [Duration] = [.seconds(1), .seconds(5), .seconds(30), .seconds(60), .seconds(300)]
