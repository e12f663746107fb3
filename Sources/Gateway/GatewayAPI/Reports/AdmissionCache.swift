import GatewayStore
import TimeCore

/// A cache of SDK keys with a short lifetime, so that a storm of reports does not query the store for each. A key that
/// is revoked, or whose tenant is disabled, works for that much longer.
///
/// Known and unknown keys have separate limits, so guesses cannot evict keys in use.
struct AdmissionCache {
    enum Answer {
        case admitted(Admission)
        /// The key is invalid.
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
    /// The maximum number of known keys, and of unknown keys.
    let capacity: Int

    private var known: [String: Entry] = [:]
    /// The last known key. In a storm nearly all reports have the same one.
    private var last: Entry?
    private var unknown: [String: MonotonicTime] = [:]

    init(lifetime: TimeInterval, capacity: Int = 1024) {
        self.lifetime = lifetime
        self.capacity = capacity
    }

    var lastKey: String? { last?.key }

    /// The number of cached keys.
    var count: Int { known.count + unknown.count }

    /// Returns the cached answer; nil if the store must be queried.
    mutating func find(_ key: String, now: MonotonicTime) -> Answer? {
        if let last, last.key == key, now < last.until { return .admitted(last.admission) }
        if let entry = known[key] {
            last = entry
            return now < entry.until ? .admitted(entry.admission) : nil
        }
        guard let until = unknown[key], now < until else { return nil }
        return .refused
    }

    /// - Parameter admission: The store's answer; nil for an invalid key.
    mutating func add(_ key: String, _ admission: Admission?, now: MonotonicTime) {
        let until = now + lifetime
        last = nil
        if let admission {
            unknown[key] = nil
            // Active keys return soon, so all can be evicted.
            if known.count >= capacity, known[key] == nil { known = [:] }
            known[key] = Entry(key: key, admission: admission, until: until)
        } else {
            known[key] = nil
            if unknown.count >= capacity, unknown[key] == nil { unknown = [:] }
            unknown[key] = until
        }
    }
}
