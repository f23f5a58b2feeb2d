"""The faults that the simulator must find. One build has all of them, and the environment variable FAULT chooses one."""

CORE, STORAGE = "Sources/RequestAuthorization", "Sources/RequestAuthorizationStorage"
FILES, LEASED = f"{STORAGE}/Files", f"{STORAGE}/Leased"
SWITCH = """\
#if canImport(Glibc)
import Glibc
#endif

/// The number of the seeded fault; 0 for none.
package let seededFault: Int = getenv("FAULT").flatMap { Int(String(cString: $0)) } ?? 0
"""

# Name, file, the text that occurs once in it, and what takes its place. FAULT is true if the fault is chosen.
FAULTS = [
    ("the intent is not written", f"{FILES}/CredentialFiles+Intent.swift",
     "        guard let data else { return try removeIntent(in: folder) }\n",
     "        guard let data else { return try removeIntent(in: folder) }\n        if FAULT { return }\n"),
    ("the intent is not durable", f"{FILES}/CredentialFiles+Intent.swift",
     "try file.syncData()", "if !FAULT { try file.syncData() }"),
    ("a spent token's name may not be durable", f"{FILES}/CredentialFiles+Intent.swift",
     "try syncToken(in: folder)", "if !FAULT { try syncToken(in: folder) }"),
    ("a file is saved without a compare", f"{FILES}/CredentialFiles.swift",
     "if kept != item, try !condition(kept, absence) {", "if !FAULT, kept != item, try !condition(kept, absence) {"),
    ("rename comes before fsync", f"{FILES}/CredentialFiles.swift",
     "            try file.sync()\n            return try body()",
     "            if FAULT {\n                let result = try body()\n                try file.sync()\n                return result\n"
     "            }\n            try file.sync()\n            return try body()"),
    ("files are not synced", f"{FILES}/OpenFolder.swift",
     "to: number) }\n    func sync() throws { try layer.sync(number) }",
     "to: number) }\n    func sync() throws { if !FAULT { try layer.sync(number) } }"),
    ("the folder is not synced", f"{FILES}/CredentialFiles.swift",
     "try folder.rename(new, to: name) }\n        try folder.sync()",
     "try folder.rename(new, to: name) }\n        if !FAULT { try folder.sync() }"),
    ("the lock of another process is ignored", f"{FILES}/CredentialFiles+Guard.swift",
     "guard try file.lock() else { return nil }", "guard try file.lock() || FAULT else { return nil }"),
    ("the guard of another process is ignored", f"{FILES}/CredentialFiles+Guard.swift",
     "guard try file.lock() else { throw GuardIsHeld() }", "guard try file.lock() || FAULT else { throw GuardIsHeld() }"),
    ("the tombstone is lost", f"{CORE}/Refresh/RefreshableTokenAuthorization+Effects.swift",
     "let tombstone = StoredToken", "if FAULT { return .saved }\n            let tombstone = StoredToken"),
    ("a token replaces a tombstone", f"{CORE}/Tokens/SharedTokenStore.swift",
     "guard stored.token != nil else { return self == .anything }",
     "guard stored.token != nil else { return FAULT || self == .anything }"),
    ("the line of sessions is not compared", f"{CORE}/Refresh/RefreshState+Requests.swift",
     "case .held(let held, _) where held.version.session != refused.version.session:",
     "case .held(let held, _) where !FAULT && held.version.session != refused.version.session:"),
    ("a sibling's token is not adopted", f"{CORE}/Refresh/Exchange.swift",
     "        case (_, .news(let item)): .adopt(item)",
     "        case (.reread, .news) where FAULT: next(announcedCall(at: date))\n        case (_, .news(let item)): .adopt(item)"),
    ("the store is not read again under the lock", f"{CORE}/Refresh/Exchange.swift",
     "return next(.reread)", "return next(FAULT ? call : .reread)"),
    ("a new token is not stored", f"{CORE}/Refresh/RefreshState+Refreshing.swift",
     "guard vault.isKept else { return publish(held, of: flight, isRefreshed: true, &turn) }",
     "guard vault.isKept, !FAULT else { return publish(held, of: flight, isRefreshed: true, &turn) }"),
    ("access ends before the token is stored", f"{CORE}/Refresh/Vault.swift",
     "if let unsaved, !isAbandoned, unsaved.content.token != nil",
     "if !FAULT, let unsaved, !isAbandoned, unsaved.content.token != nil"),
    ("the watch outlives its provider", f"{CORE}/Refresh/RefreshableTokenAuthorization.swift",
     "        watch?.cancel()\n", "        if !FAULT { watch?.cancel() }\n"),
    ("a credential goes to every origin", f"{CORE}/Composition/RestrictedAuthorization.swift",
     "guard origins.place(of: request) != nil else { return try elsewhere.credentialAtHand(for: request) }",
     "guard FAULT || origins.place(of: request) != nil else { return try elsewhere.credentialAtHand(for: request) }"),
    ("a lease of another host is ignored", f"{LEASED}/LeaseRules.swift",
     "guard let holder = record.holder else { return true }", "guard !FAULT, let holder = record.holder else { return true }"),
    ("a lease ends too early", f"{LEASED}/LeaseRules.swift",
     "let ending = length * 1.05", "let ending = length * (FAULT ? 0.05 : 1.05)"),
    ("an intent without the lease", f"{LEASED}/LeaseRules.swift",
     "guard let held, !held.isOver, record.holder == held.id else { return .isNotHolder }",
     "guard let held, FAULT || (!held.isOver && record.holder == held.id) else { return .isNotHolder }"),
    ("an intent for an item that has changed", f"{LEASED}/LeaseRules.swift",
     "guard record.item == basis else { return .itemHasChanged }",
     "guard FAULT || record.item == basis else { return .itemHasChanged }"),
    ("a failed intent is ignored", f"{LEASED}/LeasedByteStore+Lock.swift",
     "if !mayBeSent { state", "if !mayBeSent, !FAULT { state"),
    ("a request is sent after its lease", f"{LEASED}/LeaseRules.swift",
     "guard let held, counts(at: now) else { return .zero }",
     "if FAULT { return length }\n        guard let held, counts(at: now) else { return .zero }"),
    ("one version names two tokens", f"{LEASED}/LeaseRules.swift",
     "? version.generation + 1 : nil", "? version.generation + (FAULT ? 0 : 1) : nil"),
    ("a record is saved without a compare", f"{LEASED}/LeasedTokenStore.swift",
     "if condition.allows(kept, absence: absence) { return .save(new) }",
     "if FAULT || condition.allows(kept, absence: absence) { return .save(new) }"),
    ("a change is answered from memory", f"{LEASED}/LeasedByteStore.swift",
     "self?.state.withLock { $0.known?.freshUntil = .zero }",
     "self?.state.withLock { $0.known?.freshUntil = FAULT ? .seconds(1_000_000) : .zero }"),
]
