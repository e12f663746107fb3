import Delivery
import EventCore
import LiveActivity
import RosterCore

/// What a page of a broadcast has to tell, as it waits in the partition's progress to be published: a field that is
/// written in the same step as the page's delivery statuses and counts.
///
/// The field names the page and the hold under which it was written, so that a page that was given back and finished by
/// another gateway has two, and each makes events with ids of their own. The value has a byte for each slot.
struct OutboxEntry: Equatable {
    static let accepted: UInt8 = 1
    static let dead: UInt8 = 2
    static let fieldPrefix = "e:"

    let field: String
    let page: Int
    let outcomes: [UInt8]

    /// What is written when a page is finished; nil when it has nothing to tell.
    init?(_ outcome: PageOutcome, owner: String) {
        var outcomes: [UInt8] = []
        func mark(_ index: Int, _ what: UInt8) {
            guard (0..<RosterGeometry.slotsPerPage).contains(index) else { return }
            if outcomes.count <= index {
                outcomes += [UInt8](repeating: 0, count: index + 1 - outcomes.count)
            }
            outcomes[index] = what
        }
        for index in outcome.accepted { mark(Int(index), OutboxEntry.accepted) }
        for token in outcome.deadTokens { mark(token.index, OutboxEntry.dead) }
        guard !outcomes.isEmpty else { return nil }
        self.outcomes = outcomes
        page = outcome.page
        field = "\(OutboxEntry.fieldPrefix)\(outcome.page):\(owner)"
    }

    /// As it was stored.
    init?(field: String, outcomes: [UInt8]) {
        let parts = field.split(separator: ":", maxSplits: 2)
        guard parts.count == 3, let page = Int(parts[1]), RosterGeometry.pages.contains(page),
            outcomes.count <= RosterGeometry.slotsPerPage
        else { return nil }
        self.field = field
        self.page = page
        self.outcomes = outcomes
    }

    /// The events' parts: which slots had which outcome, at most so many together as an event has devices.
    func parts(_ kind: PushEvent) -> [(type: EventType, part: Int, indexes: [Int])] {
        var parts: [(EventType, Int, [Int])] = []
        for (what, type) in [(OutboxEntry.accepted, kind.acceptedEvent), (OutboxEntry.dead, .invalidated)] {
            for first in stride(from: 0, to: outcomes.count, by: EventGeometry.devicesPerEvent) {
                let range = first..<min(outcomes.count, first + EventGeometry.devicesPerEvent)
                let indexes = range.filter { outcomes[$0] == what }
                if !indexes.isEmpty { parts.append((type, first / EventGeometry.devicesPerEvent, indexes)) }
            }
        }
        return parts
    }
}

extension PushEvent {
    /// What is told of devices whose push the provider accepted.
    var acceptedEvent: EventType {
        switch self {
        case .start: .started
        case .update: .updated
        case .end: .ended
        }
    }
}
