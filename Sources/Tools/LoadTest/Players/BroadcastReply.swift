import LiveActivity

/// The parts of an answer that a marketing system uses.
struct BroadcastReply: Sendable {
    let isSuccess: Bool
    let result: ActivityTracker.CallResult
    /// The number of pushes that the provider accepted.
    let pushes: Int

    init(_ outcome: CallOutcome) {
        isSuccess = outcome.isSuccess
        guard case .answered(let status, let body) = outcome else {
            result = .unknown
            pushes = 0
            return
        }
        let root = isSuccess ? try? JSONDocument(parsing: body).root : nil
        let members = (try? root?.members(["activity_id", "sessions_triggered"])) ?? []
        pushes = members.count == 2 ? members[1]?.int64.map { Int($0) } ?? 0 : 0
        switch status {
        case 200..<300: result = .done(id: members.first.flatMap { $0?.string } ?? "")
        case 404: result = .gone
        // Rate limit, unavailable store, or no reported device yet.
        case 409 where BroadcastReply.isGate(body), 429, 503: result = .refusedForNow
        default: result = .refused
        }
    }

    private static func isGate(_ body: [UInt8]) -> Bool {
        (try? JSONDocument(parsing: body).root.member("code")?.string) == "DEVICE_NOT_SYNCED"
    }
}
