import Encodings
public import TimeCore

/// The outcome of the last push to a device.
public struct PushOutcomeNote: Equatable, Sendable {
    /// The provider's reason for a failure, or one of the gateway; nil if the provider accepted the push.
    public let failure: String?
    /// The time at which the outcome was written: at most seconds after the provider's answer.
    public let at: WallTime
}

/// The last outcomes of a page's slots, one byte each. The stored page is the number of kinds of outcome, the kinds,
/// then for each slot the number of its kind, 0 for none. A kind has a time (epoch seconds, four bytes, little-endian),
/// the length of its reason, and the reason, which is empty for accepted.
///
/// Most pushes go to a whole page, so a page has few kinds, and each costs few bytes. New kinds reuse the numbers of
/// unused ones. A full page merges the oldest kind that shares its reason into the next one of that reason. Without
/// one, it drops the outcomes of the first kind.
struct OutcomePage {
    /// The limit keeps the numbers to control characters, which have no special meaning in Lua's patterns.
    static let maximumKinds = 30
    /// The longest stored reason, in bytes.
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

    /// Outcomes for `outcomes.lua` to write.
    struct Change {
        /// The index of the first code.
        var first = 0
        /// The number of each slot's kind, 0 for no change.
        var codes: [UInt8] = []
        /// The kinds, one after another.
        var kinds: [UInt8] = []
        /// The counter field of each kind: see `BroadcastCounts.fields`.
        var counts: [String] = []

        init(first: Int, count: Int) {
            self.first = first
            codes = [UInt8](repeating: 0, count: count)
        }

        /// - Parameter failure: Pass nil for accepted pushes.
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
    /// Returns the outcomes to record for the page's devices; nil if there are none.
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
            // Reasons beyond the limit of kinds share one kind.
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
    /// The limit of kinds without accepted, unknown, unsent and other.
    private static let reasonsApart = OutcomePage.maximumKinds - 4
}
