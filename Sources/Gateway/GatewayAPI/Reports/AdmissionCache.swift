import GatewayStore
import TimeCore

/// What SDK keys open, known for a short time, so that a storm of reports does not ask the store for every one of them.
/// A key that is revoked, or whose tenant is switched off, is taken for as much longer.
///
/// Known and unknown keys are bounded apart: whoever tries keys cannot push out those that are in use.
struct AdmissionCache {
    enum Answer {
        case admitted(Admission)
        /// The key opens nothing.
        case refused
    }

    private final class Entry {
        let key: String
        let admission: Admission
        let until: MonotonicTime

        init(key: String, admission: Admission, until: MonotonicTime) {
            self.key = key
            self.admission = admission
            self.until = until
        }
    }

    let lifetime: TimeInterval
    /// The most known keys, and the most unknown ones.
    let capacity: Int

    private var known: [String: Entry] = [:]
    /// The known key that was found last: in a storm nearly all reports have the same one.
    private var last: Entry?
    private var unknown: [String: MonotonicTime] = [:]

    init(lifetime: TimeInterval, capacity: Int = 1024) {
        self.lifetime = lifetime
        self.capacity = capacity
    }

    /// The known key that was found last.
    var lastKey: String? { last?.key }

    /// How many keys are kept.
    var count: Int { known.count + unknown.count }

    /// Nil when the store must be asked.
    mutating func find(_ key: String, now: MonotonicTime) -> Answer? {
        if let last, last.key == key, now < last.until { return .admitted(last.admission) }
        if let entry = known[key] {
            last = entry
            return now < entry.until ? .admitted(entry.admission) : nil
        }
        guard let until = unknown[key], now < until else { return nil }
        return .refused
    }

    /// - Parameter admission: what the store said; nil for a key that opens nothing.
    mutating func add(_ key: String, _ admission: Admission?, now: MonotonicTime) {
        let until = now + lifetime
        last = nil
        if let admission {
            unknown[key] = nil
            // Everything here is soon asked for again anyway, so it need not be decided what goes.
            if known.count >= capacity, known[key] == nil { known = [:] }
            known[key] = Entry(key: key, admission: admission, until: until)
        } else {
            known[key] = nil
            if unknown.count >= capacity, unknown[key] == nil { unknown = [:] }
            unknown[key] = until
        }
    }
}
