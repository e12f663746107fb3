public import Delivery
public import LiveActivity

/// What became of a broadcast's pushes, by the kind of their destination.
public struct CohortCounts: Equatable, Sendable {
    /// Of one cohort.
    public struct Count: Equatable, Sendable {
        /// Devices that it was sent to, or would have been.
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

    /// The cohorts that were addressed, in the contract's order, when there are several or one is `channel`: of a
    /// broadcast to tokens of one provider the other counts say the same. Empty for others.
    public var told: [(cohort: Cohort, count: Count)] {
        // Nearly all are of one cohort.
        guard counts.count > 1 || counts[.channel] != nil else { return [] }
        let addressed = Cohort.allCases.map { ($0, self[$0]) }.filter { $0.1.devices > 0 }
        return addressed.count > 1 || addressed.first?.0 == .channel ? addressed : []
    }

    /// What a partition's pushes come to.
    mutating func add(_ counts: BroadcastCounts, of cohort: Cohort) {
        guard counts.pushes > 0 else { return }
        self[cohort].devices += counts.pushes
        self[cohort].accepted += counts.accepted
    }

    /// A push to a channel stands for so many devices; 0 when it goes to none.
    mutating func cover(_ devices: Int) {
        if devices > 0 { self[.channel].devices = devices }
    }

    mutating func add(_ other: CohortCounts) {
        for (cohort, count) in other.counts {
            self[cohort].devices += count.devices
            self[cohort].accepted += count.accepted
        }
    }

    /// A Live Activity that is reported was accepted.
    mutating func settle(proven: Int, of cohort: Cohort) {
        guard let count = counts[cohort] else { return }
        self[cohort].accepted += min(proven, count.devices - count.accepted)
    }
}

// How they are spelled in a broadcast's record: `cohort=devices/accepted,cohort=devices/accepted`.
extension CohortCounts {
    /// Empty where nothing is told.
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
    /// What became of pushes by the kind of their destination, as `cohorts`, where that is told.
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
