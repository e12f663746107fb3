import FeedCore
import GatewayStore
import LiveActivity

/// Hands the elements of a feed on, some at the same time.
struct FeedElements {
    let receiver: any FeedReceiver
    let tenantID: String
    /// Whether they may still be handed on: asked before each.
    let mayGoOn: @Sendable () -> Bool

    /// Under way at the same time.
    private static let concurrency = 32
    /// Refusals that are kept to be told.
    private static let mostRefusals = 1000

    /// What became of all.
    struct Tally: Sendable {
        /// By the outcome's name.
        var counts: [String: Int] = [:]
        /// Of the first of those that were refused, by place.
        var refusals: [Int: ElementRefusal] = [:]
        /// Whether none was refused that could be taken later.
        var isSettled = true
        /// Whether all were handed on, and the store has answered for each.
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
                // Which of two counts would be chance.
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
    /// - Parameter name: of an element in front of it, too.
    fileprivate static func twice(_ name: String) -> ElementRefusal {
        ElementRefusal(
            topic: TopicName.isValid(name) ? name : nil, code: "VALIDATION_FAILED",
            text: "topic: the feed names this topic twice",
            isFinal: true)
    }
}
