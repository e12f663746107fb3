/// How far a connection is on the way to the script's GOAWAY. The streams are counted from the script's beginning.
struct GoAwayProgress {
    /// The plan, once this connection has been chosen for it.
    private(set) var plan: ConnectionScript.GoAway?
    /// The stream id that the GOAWAY will name, for `.minus`.
    private(set) var lastProcessed: Int32 = 0
    /// Whether nghttp2 has written it out, from when on it passes over new streams without a word.
    var isWritten = false
    /// The newest stream that was seen.
    var newestStream: Int32 = 0

    private var generation = -1
    private var base = 0
    private var isSubmitted = false

    /// Whether the stream is above the last one that the GOAWAY to come will name.
    mutating func streamBegun(_ stream: MockRequest, _ budget: inout GoAwayBudget, generation: Int) -> Bool {
        newestStream = max(newestStream, stream.id)
        // Between its submission and its writing nghttp2 still lets streams in.
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

    /// The plan, once, when this stream brings it on.
    mutating func streamCompleted(_ stream: MockRequest) -> ConnectionScript.GoAway? {
        guard let plan, !isSubmitted, stream.ordinal - base >= plan.afterStreams else { return nil }
        isSubmitted = true
        return plan
    }

    /// The plan, once, when streams that it turns away have waited for long: the client may open no further one.
    mutating func patienceEnded() -> ConnectionScript.GoAway? {
        guard let plan, !isSubmitted else { return nil }
        isSubmitted = true
        return plan
    }

    /// Whether it names a last stream, so that later ones are not processed.
    var isFinal: Bool { isSubmitted && plan?.lastStream != .maximum }
}
