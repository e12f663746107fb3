import Encodings
public import TimeCore

/// What the last push to a device came to.
public struct PushOutcomeNote: Equatable, Sendable {
    /// Why it failed, by the provider's reason or our own word for it; nil when the provider accepted it.
    public let failure: String?
    /// When that was written: seconds after the provider's answer at most.
    public let at: WallTime
}

/// The last outcomes of a page's slots, a byte each, as they lie in Redis: how many kinds of outcome there are, the
/// kinds (time in epoch seconds, four bytes little-endian; length of the reason; reason, empty for accepted), then for
/// each slot the number of its kind from 1 on, 0 for none.
///
/// A page is mostly pushed to as a whole, so it has few kinds, and one more costs five bytes. Kinds that nothing refers
/// to any more make room for new ones. There are at most `maximumKinds`: of those that differ only in time the two
/// oldest are then made one.
struct OutcomePage {
    /// Numbers of kinds are control characters, which have no meaning of their own in Lua's patterns.
    static let maximumKinds = 30
    /// The longest reason that is kept, in bytes.
    static let maximumReasonLength = 64

    private var kinds: [PushOutcomeNote] = []
    private var slots: ArraySlice<UInt8> = []

    /// Damaged bytes read as a page without outcomes.
    init(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        for _ in 0..<(reader.byte() ?? 0) {
            guard let seconds = reader.integer(UInt32.self), let length = reader.byte(),
                let reason = reader.take(Int(length))
            else { return }
            kinds.append(
                PushOutcomeNote(
                    failure: reason.isEmpty ? nil : String(decoding: reason, as: UTF8.self),
                    at: WallTime(seconds: Int64(seconds))))
        }
        slots = reader.rest()
    }

    func outcome(_ index: Int) -> PushOutcomeNote? {
        guard index >= 0, index < slots.count else { return nil }
        let kind = Int(slots[slots.startIndex + index])
        return kind > 0 && kind <= kinds.count ? kinds[kind - 1] : nil
    }

    /// Outcomes to be written: see `outcomes.lua`.
    struct Change {
        /// The index of the first code.
        var first = 0
        /// The number of each slot's kind, 0 where nothing changes.
        var codes: [UInt8] = []
        /// The kinds, one after another.
        var kinds: [UInt8] = []
        /// What each kind counts as, see `BroadcastCounts.fields`.
        var counts: [String] = []

        init(first: Int, count: Int) {
            self.first = first
            codes = [UInt8](repeating: 0, count: count)
        }

        /// - Parameter failure: nil for accepted ones.
        mutating func add(_ indexes: [UInt16], failure: String?, at time: WallTime) {
            guard !indexes.isEmpty, counts.count < OutcomePage.maximumKinds else { return }
            counts.append(failure.map(BroadcastCounts.field(failure:)) ?? BroadcastCounts.acceptedField)
            let reason = Array((failure ?? "").utf8.prefix(OutcomePage.maximumReasonLength))
            kinds.append(littleEndian: UInt32(clamping: time.seconds), bytes: 4)
            kinds.append(UInt8(reason.count))
            kinds += reason
            for index in indexes { codes[Int(index) - first] = UInt8(counts.count) }
        }
    }
}

extension PageOutcome {
    /// What is noted of the page's devices; nil when nothing is.
    func outcomes(at time: WallTime) -> OutcomePage.Change? {
        var (first, last) = (Int.max, -1)
        for indexes in [accepted, failed, unknown, unsent] {
            for index in indexes {
                first = min(first, Int(index))
                last = max(last, Int(index))
            }
        }
        guard first <= last else { return nil }
        var change = OutcomePage.Change(first: first, count: last - first + 1)
        change.add(accepted, failure: nil, at: time)
        change.add(unknown, failure: PageOutcome.unknownReason, at: time)
        change.add(unsent, failure: unsentReason, at: time)
        var failures = [[UInt16]](repeating: [], count: reasons.count)
        var others: [UInt16] = []
        for (number, index) in failed.enumerated() {
            let place = number < failedFor.count ? Int(failedFor[number]) : reasons.count
            // Beyond what a page can hold reasons share a kind.
            if place < min(reasons.count, PageOutcome.reasonsApart) {
                failures[place].append(index)
            } else {
                others.append(index)
            }
        }
        for (reason, indexes) in zip(reasons, failures) { change.add(indexes, failure: reason, at: time) }
        change.add(others, failure: PageOutcome.otherReason, at: time)
        return change
    }

    static let unknownReason = "unknown"
    private static let otherReason = "other"
    /// Besides accepted, unknown, unsent and others.
    private static let reasonsApart = OutcomePage.maximumKinds - 4
}
