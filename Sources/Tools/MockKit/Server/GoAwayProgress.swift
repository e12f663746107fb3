/// A connection's progress towards the script's GOAWAY. Streams are counted from the time when the script was set.
struct GoAwayProgress {
    /// The plan; nil until this connection has been chosen for it.
    private(set) var plan: ConnectionScript.GoAway?
    /// The stream id that a GOAWAY with `.minus` names.
    private(set) var lastProcessed: Int32 = 0
    /// True if nghttp2 has sent the final GOAWAY. From then on, nghttp2 ignores new streams silently.
    var isWritten = false
    /// The highest stream id received.
    var newestStream: Int32 = 0

    private var generation = -1
    private var base = 0
    private var isSubmitted = false

    /// Returns true if the stream is above the last stream of the coming GOAWAY.
    mutating func streamBegun(_ stream: MockRequest, _ budget: inout GoAwayBudget, generation: Int) -> Bool {
        newestStream = max(newestStream, stream.id)
        // nghttp2 accepts new streams between the submission of a GOAWAY and its writing.
        if isSubmitted { return isFinal }
        if generation != self.generation {
            self.generation = generation
            base = stream.ordinal - 1
            plan = nil
            lastProcessed = 0
        }
        guard let wanted = budget.plan else { return false }
        let ordinal = stream.ordinal - base
        var unprocessed = 0
        if case .minus(let count) = wanted.lastStream { unprocessed = max(0, count) }
        let lastOrdinal = max(1, wanted.afterStreams) - unprocessed
        if plan == nil, ordinal > lastOrdinal || ordinal >= wanted.afterStreams, budget.take() { plan = wanted }
        if ordinal <= lastOrdinal { lastProcessed = stream.id }
        return plan != nil && unprocessed > 0 && ordinal > lastOrdinal
    }

    /// Returns the plan once, if this stream triggers it.
    mutating func streamCompleted(_ stream: MockRequest) -> ConnectionScript.GoAway? {
        guard let plan, !isSubmitted, stream.ordinal - base >= plan.afterStreams else { return nil }
        isSubmitted = true
        return plan
    }

    /// Returns the plan once, after held streams have waited long enough. The client may open no further stream.
    mutating func patienceEnded() -> ConnectionScript.GoAway? {
        guard let plan, !isSubmitted else { return nil }
        isSubmitted = true
        return plan
    }

    /// True if the submitted GOAWAY names a last stream, so later streams are not processed.
    var isFinal: Bool { isSubmitted && plan?.lastStream != .maximum }
}
