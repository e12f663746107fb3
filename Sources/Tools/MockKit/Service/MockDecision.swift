import TimeCore

/// The outcome of a request and its delay.
package struct MockDecision {
    package enum Outcome {
        case answer(Answer)
        case silence
        /// Sends RST_STREAM with this code (RFC 9113, section 7).
        case reset(code: UInt32)
        case close(abruptly: Bool)
    }

    package var outcome: Outcome
    /// The time from the end of the request to the outcome.
    package var delay = TimeInterval.zero
    /// The kind of request, defined by the service. Counted and stored in the ledger.
    package var mark: UInt16 = 0
    /// Further data of the service, stored in the ledger.
    package var note: UInt32 = 0
    /// True if the request is only counted by its mark and not stored in a ledger.
    package var isAside = false
    /// True if the request had a valid credential, even if it was rejected.
    package var hasValidCredential = false
    /// The body for the ledger; nil for a copy of the request's body.
    package var keptBody: [UInt8]?

    package init(_ outcome: Outcome, delay: TimeInterval = .zero) {
        self.outcome = outcome
        self.delay = delay
    }
}
