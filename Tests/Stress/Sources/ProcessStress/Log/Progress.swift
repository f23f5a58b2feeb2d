// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The progress of a run, read from the log as it grows. The parent waits for it.
struct Progress: Sendable {
    /// The newest token that the server has issued.
    private(set) var newest = Place(family: -1, generation: 0)
    /// When each token was issued, in seconds since the run began.
    private(set) var issues: [Place: Double] = [:]
    /// The newest token that each process has used.
    private(set) var uses: [ProcessName: Place] = [:]
    /// The newest token that each worker has used, in any of its processes.
    private(set) var usesByWorker: [Int: Place] = [:]
    /// Sign-ins that the server or a worker has reported as over.
    private(set) var over: Set<Int> = []
    /// Sign-ins that a worker has ended or replaced.
    private(set) var ended: Set<Int> = []
    /// Workers that have used a token since the last expiry, or were told that there is none.
    private(set) var answered: Set<Int> = []
    /// Workers whose token was refused since the last expiry.
    private(set) var refused: Set<Int> = []
    /// Workers that have waited for the bare lock since the last expiry.
    private(set) var controlled: Set<Int> = []

    mutating func note(_ line: LogLine) {
        switch line.event {
        case .used, .signedOut: if let worker = line.process?.worker { answered.insert(worker) }
        case .unauthorized: if let worker = line.process?.worker { refused.insert(worker) }
        case .controlled: if let worker = line.process?.worker { controlled.insert(worker) }
        case .expired: (answered, refused, controlled) = ([], [], [])
        default: break
        }
        switch line.event {
        case .ended:
            if let place = line.place { ended.insert(place.family) }
        case .replaced:
            if let place = line.place { ended.formUnion(0..<place.family) }
        case .signedIn:
            issue(line.place, at: line.time)
        case .committed:
            issue(line.place?.next, at: line.time)
        case .used:
            guard let process = line.process, let place = line.place else { break }
            uses[process] = max(uses[process] ?? place, place)
            usesByWorker[process.worker] = max(usesByWorker[process.worker] ?? place, place)
        case .reused:
            if let place = line.place { over.insert(place.family) }
        case .signedOut:
            over.insert(newest.family)
        case .began, .started, .killed, .replayed, .refused, .answered, .answerLost, .unauthorized, .failed, .expired,
            .diskFull, .dismissed, .controlled, .stopped, .resumed, .cut, .restarted, .saved:
            break
        }
    }

    /// Whether each of these processes has used a token newer than the place, or any token if it is `nil`.
    func hasPassed(_ place: Place?, _ processes: [ProcessName]) -> Bool {
        processes.allSatisfy { process in
            uses[process].map { use in place.map { use > $0 } ?? true } ?? false
        }
    }

    /// Whether some process of each worker has used a token newer than the place.
    func hasPassed(_ place: Place, workers: Int) -> Bool {
        (0..<workers).allSatisfy { worker in usesByWorker[worker].map { $0 > place } ?? false }
    }

    /// Whether a worker must sign in again before the run can continue.
    var isOver: Bool { over.contains(newest.family) }

    private mutating func issue(_ place: Place?, at time: Double) {
        guard let place else { return }
        newest = max(newest, place)
        issues[place] = time
    }
}
