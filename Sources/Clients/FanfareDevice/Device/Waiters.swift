/// The callers that wait for an answer. Each is resumed once; at most 64 wait.
struct Waiters {
    enum Answer: Sendable {
        case tap(TapOutcome)
        case done(Bool)
    }

    enum Kind: Hashable, Sendable {
        case tap(String)
        case listing(Int)
        case flush(Int)
    }

    private var waiting: [Kind: CheckedContinuation<Answer, Never>] = [:]
    private var last = 0

    /// Returns a unique number.
    mutating func number() -> Int {
        last += 1
        return last
    }

    /// Adds a waiting caller. If 64 wait already, resumes this one at once.
    mutating func add(_ kind: Kind, _ continuation: CheckedContinuation<Answer, Never>, otherwise answer: Answer) {
        guard waiting.count < 64 else { return continuation.resume(returning: answer) }
        waiting[kind] = continuation
    }

    mutating func resume(_ kind: Kind, _ answer: Answer) {
        waiting.removeValue(forKey: kind)?.resume(returning: answer)
    }

    mutating func resumeListings(_ isListed: Bool) {
        for kind in waiting.keys { if case .listing = kind { resume(kind, .done(isListed)) } }
    }

    mutating func resumeFlushes(_ isTold: Bool) {
        for kind in waiting.keys { if case .flush = kind { resume(kind, .done(isTold)) } }
    }

    mutating func resumeTaps(_ outcome: TapOutcome) {
        for kind in waiting.keys { if case .tap = kind { resume(kind, .tap(outcome)) } }
    }
}
