import FeedCore
import GatewayStore
import LiveActivity

/// Passes the elements of a feed on, several at a time.
struct FeedElements {
    let receiver: any FeedReceiver
    let tenantID: String
    /// True while elements may be passed on; called before each.
    let mayGoOn: @Sendable () -> Bool

    /// The maximum number of elements in progress.
    private static let concurrency = 32
    /// The maximum number of refusals that are kept for the log.
    private static let mostRefusals = 1000

    /// The outcomes of all elements.
    struct Tally: Sendable {
        /// The counts by the name of the outcome.
        var counts: [String: Int] = [:]
        /// The first refusals, by place.
        var refusals: [Int: ElementRefusal] = [:]
        /// True if no refused element can succeed later.
        var isSettled = true
        /// True if all elements were passed on, and the store answered for each.
        var isWhole = true

        fileprivate mutating func add(_ outcome: ElementOutcome, at place: Int) {
            counts[outcome.name, default: 0] += 1
            guard case .refused(let refusal) = outcome else { return }
            isSettled = isSettled && refusal.isFinal
            if refusals.count < FeedElements.mostRefusals { refusals[place] = refusal }
        }
    }

    func take(_ elements: [JSONValue]) async -> Tally {
        var tally = Tally()
        var names: Set<String> = []
        await withTaskGroup(of: (Int, ElementOutcome?).self) { group in
            var underWay = 0
            for (place, element) in elements.enumerated() {
                // The elements are processed concurrently, so the result of two for a topic would be random.
                if let name = (try? element.member("topic"))?.string, !names.insert(name).inserted {
                    tally.add(.refused(.twice(name)), at: place)
                    continue
                }
                if underWay == FeedElements.concurrency, let (place, outcome) = await group.next() {
                    underWay -= 1
                    note(outcome, place, &tally)
                }
                guard tally.isWhole, mayGoOn() else {
                    tally.isWhole = false
                    break
                }
                underWay += 1
                group.addTask { (place, try? await receiver.take(element, tenantID: tenantID)) }
            }
            for await (place, outcome) in group { note(outcome, place, &tally) }
        }
        return tally
    }

    private func note(_ outcome: ElementOutcome?, _ place: Int, _ tally: inout Tally) {
        if let outcome { tally.add(outcome, at: place) } else { tally.isWhole = false }
    }
}

extension ElementRefusal {
    /// - Parameter name: The topic of an earlier element too.
    fileprivate static func twice(_ name: String) -> ElementRefusal {
        ElementRefusal(
            topic: TopicName.isValid(name) ? name : nil, code: "VALIDATION_FAILED",
            text: "topic: the feed names this topic twice",
            isFinal: true)
    }
}
