public import Delivery
public import LiveActivity

/// The outcomes of a broadcast's pushes by the kind of their destination.
public struct CohortCounts: Equatable, Sendable {
    /// The counts of one cohort.
    public struct Count: Equatable, Sendable {
        /// Devices with an accepted or failed push, or those that the channel reaches.
        public internal(set) var devices = 0
        /// Pushes that the provider accepted.
        public internal(set) var accepted = 0
    }

    private var counts: [Cohort: Count] = [:]

    init() {}

    subscript(cohort: Cohort) -> Count {
        get { counts[cohort] ?? Count() }
        set { counts[cohort] = newValue }
    }

    /// The addressed cohorts in the API's order, if there are several or one is `channel`. Otherwise empty,
    /// because the other counts then say the same.
    public var told: [(cohort: Cohort, count: Count)] {
        // Nearly all broadcasts have one cohort.
        guard counts.count > 1 || counts[.channel] != nil else { return [] }
        let addressed = Cohort.allCases.map { ($0, self[$0]) }.filter { $0.1.devices > 0 }
        return addressed.count > 1 || addressed.first?.0 == .channel ? addressed : []
    }

    /// Adds the counts of a partition.
    mutating func add(_ counts: BroadcastCounts, of cohort: Cohort) {
        guard counts.pushes > 0 else { return }
        self[cohort].devices += counts.pushes
        self[cohort].accepted += counts.accepted
    }

    /// Sets the number of devices that channels reach. Ignores 0.
    mutating func cover(_ devices: Int) {
        if devices > 0 { self[.channel].devices = devices }
    }

    mutating func add(_ other: CohortCounts) {
        for (cohort, count) in other.counts {
            self[cohort].devices += count.devices
            self[cohort].accepted += count.accepted
        }
    }

    /// Counts Live Activities that were reported as accepted.
    mutating func settle(proven: Int, of cohort: Cohort) {
        guard let count = counts[cohort] else { return }
        self[cohort].accepted += min(proven, count.devices - count.accepted)
    }
}

// The text in a broadcast's record: `cohort=devices/accepted,cohort=devices/accepted`.
extension CohortCounts {
    /// Empty if `told` is.
    var text: String {
        told.map { "\($0.cohort.rawValue)=\($0.count.devices)/\($0.count.accepted)" }.joined(separator: ",")
    }

    init(_ text: String?) {
        for part in (text ?? "").split(separator: ",") {
            let pair = part.split(separator: "=")
            guard pair.count == 2, let cohort = Cohort(rawValue: String(pair[0])) else { continue }
            let numbers = pair[1].split(separator: "/").compactMap { Int($0) }
            if numbers.count == 2 { counts[cohort] = Count(devices: numbers[0], accepted: numbers[1]) }
        }
    }
}

extension JSONObjectWriter {
    /// Writes the shown counts as `cohorts`; nothing if there are none.
    public mutating func cohorts(_ counts: CohortCounts) {
        let told = counts.told
        guard !told.isEmpty else { return }
        object("cohorts") { writer in
            for (cohort, count) in told {
                writer.object(cohort.rawValue) {
                    $0.field("devices", count.devices)
                    $0.field("accepted", count.accepted)
                }
            }
        }
    }
}
