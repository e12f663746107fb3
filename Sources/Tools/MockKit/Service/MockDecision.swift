import TimeCore

/// What becomes of one request, and when.
package struct MockDecision {
    package enum Outcome {
        case answer(Answer)
        case silence
        /// RST_STREAM with this code (RFC 9113, section 7).
        case reset(code: UInt32)
        case close(abruptly: Bool)
    }

    package var outcome: Outcome
    /// From the end of the request to its outcome.
    package var delay = TimeInterval.zero
    /// What kind of request it was, in numbers of the service; counted and kept in the ledger.
    package var mark: UInt16 = 0
    /// Kept in the ledger, for the service to read.
    package var note: UInt32 = 0
    /// Whether it is counted by its mark alone, and kept in no ledger.
    package var isAside = false
    /// Whether it came with a credential that is good, whatever became of it.
    package var hasValidCredential = false
    /// The body as the ledger keeps it; nil for a copy of the request's.
    package var keptBody: [UInt8]?

    package init(_ outcome: Outcome, delay: TimeInterval = .zero) {
        self.outcome = outcome
        self.delay = delay
    }
}
