import Delivery
public import LiveActivity
import RedisClient

/// The outcomes of a broadcast's devices. Each device is in exactly one of these numbers.
public struct BroadcastCounts: Equatable, Sendable {
    /// Pushes that the provider accepted.
    public var accepted = 0
    /// Pushes that failed for good, by the provider's reason or our own word for it.
    public var failed: [String: Int] = [:]
    /// Devices that were passed over.
    public var skipped = SkipCounts()
    /// Accepted and failed ones by the kind of their destination. Of a page there are none, since it is of one kind.
    public internal(set) var cohorts = CohortCounts()

    public init() {}

    init(skipped: SkipCounts) {
        self.skipped = skipped
    }

    /// The devices that have an outcome of any kind.
    public var total: Int { pushes + skipped.occurring.reduce(0) { $0 + $1.count } }

    /// Devices that may have got the push or not.
    public var unknown: Int { failed[PageOutcome.unknownReason] ?? 0 }

    /// True if the provider refused every push.
    var reachedNone: Bool { accepted == 0 && !failed.isEmpty }

    /// Accepted and failed ones.
    public var pushes: Int { accepted + failed.values.reduce(0, +) }

    /// A Live Activity that is reported was accepted.
    mutating func settle(proven: Int, of cohort: Cohort) {
        let unknown = unknown
        let settled = min(proven, unknown)
        guard settled > 0 else { return }
        accepted += settled
        failed[PageOutcome.unknownReason] = unknown > settled ? unknown - settled : nil
        cohorts.settle(proven: settled, of: cohort)
    }

    mutating func add(_ other: BroadcastCounts) {
        accepted += other.accepted
        failed.merge(other.failed, uniquingKeysWith: +)
        skipped.add(other.skipped)
        cohorts.add(other.cohorts)
    }
}

// The form in a broadcast's record: `reason=count,reason=count`.
extension BroadcastCounts {
    var failedText: String { failed.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",") }

    var skippedText: String { skipped.occurring.map { "\($0.reason.name)=\($0.count)" }.joined(separator: ",") }

    init(accepted: String?, failed: String?, skipped: String?, cohorts: String? = nil) {
        self.cohorts = CohortCounts(cohorts)
        self.accepted = accepted.flatMap { Int($0) } ?? 0
        for (reason, count) in BroadcastCounts.counts(failed) { self.failed[reason] = count }
        for (name, count) in BroadcastCounts.counts(skipped) {
            if let reason = SkipReason(name: name) { self.skipped[reason] = count }
        }
    }

    private static func counts(_ text: String?) -> [(name: String, count: Int)] {
        (text ?? "").split(separator: ",").compactMap { part in
            let pair = part.split(separator: "=")
            guard pair.count == 2, let count = Int(pair[1]) else { return nil }
            return (String(pair[0]), count)
        }
    }
}

// The form in the progress of a partition: a field for each count.
extension BroadcastCounts {
    /// Fields with what is not zero.
    var fields: [(name: String, count: Int)] {
        (accepted > 0 ? [(BroadcastCounts.acceptedField, accepted)] : [])
            + failed.map { (BroadcastCounts.field(failure: $0.key), $0.value) }
            + skipped.occurring.map { ("s:\($0.reason.name)", $0.count) }
    }

    static let acceptedField = "a"

    static func field(failure: String) -> String { "f:\(failure)" }

    mutating func add(field: String, _ count: Int) {
        if field == BroadcastCounts.acceptedField {
            accepted += count
        } else if field.hasPrefix("f:") {
            // A count may go back to nothing.
            if count != 0 { failed[String(field.dropFirst(2)), default: 0] += count }
        } else if field.hasPrefix("s:"), let reason = SkipReason(name: String(field.dropFirst(2))) {
            skipped[reason] += count
        }
    }
}

extension SkipReason {
    init?(name: String) {
        guard let reason = SkipReason.allCases.first(where: { $0.name == name }) else { return nil }
        self = reason
    }
}
