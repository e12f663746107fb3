import Delivery
import EventCore
import LiveActivity
import RosterCore

/// The unpublished events of a finished page: a field in the partition's progress, written in one step with the page's
/// delivery statuses and counts.
///
/// The field names the page and the hold of the writer. A page that two gateways finish therefore has two entries,
/// whose events have different ids. The value has a byte for each slot.
struct OutboxEntry: Equatable {
    static let accepted: UInt8 = 1
    static let dead: UInt8 = 2
    static let fieldPrefix = "e:"

    let field: String
    let page: Int
    let outcomes: [UInt8]

    /// Makes the entry of a finished page; nil if it has no events.
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

    /// Parses a stored entry.
    init?(field: String, outcomes: [UInt8]) {
        let parts = field.split(separator: ":", maxSplits: 2)
        guard parts.count == 3, let page = Int(parts[1]), RosterGeometry.pages.contains(page),
            outcomes.count <= RosterGeometry.slotsPerPage
        else { return nil }
        self.field = field
        self.page = page
        self.outcomes = outcomes
    }

    /// The slots of each event, by outcome. An event has at most `EventGeometry.devicesPerEvent` devices.
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
    /// The event type for an accepted push.
    var acceptedEvent: EventType {
        switch self {
        case .start: .started
        case .update: .updated
        case .end: .ended
        }
    }
}
