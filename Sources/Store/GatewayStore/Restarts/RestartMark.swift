import Delivery
import Encodings
public import LiveActivity
import RedisClient

/// When a call for a restart came in, among the broadcasts of its activity. Restarts that were recorded from then on,
/// or were under way then, came at the same time: their devices are not in this one.
public struct RestartMark: Sendable {
    /// The first order number of such a broadcast.
    let order: Int

    /// How many restarts are remembered with their devices, and for how many milliseconds: a call waits for ten
    /// seconds.
    static let keptRestarts = 128
    static let keptFor = 3_600_000
}

/// The devices of restarts that came at the same time as another one.
struct OtherRestarts {
    /// The slots of each, in ascending order.
    private let slots: [[UInt32]]

    init(_ slots: [[UInt32]] = []) { self.slots = slots }

    func contains(_ slot: UInt32) -> Bool { slots.contains { OtherRestarts.contains(slot, $0) } }

    private static func contains(_ slot: UInt32, _ slots: [UInt32]) -> Bool {
        var (low, high) = (0, slots.count)
        while low < high {
            let middle = (low + high) / 2
            if slots[middle] < slot { low = middle + 1 } else { high = middle }
        }
        return low < slots.count && slots[low] == slot
    }
}

extension StoredRestarts {
    /// Marks the moment at which a call for a restart comes in.
    public func markRestart(of activity: UniqueID) async throws(StoreError) -> RestartMark {
        let replies = try await values([
            RedisCommand("HGET", Keys.activity(activity), "order"),
            RedisCommand("HGETALL", Keys.openBroadcasts(activity)),
        ])
        let starting = replies[1].fields.compactMap { OpenBroadcast($0, $1) }.filter { $0.kind == .start }.map(\.order)
        return RestartMark(order: starting.min() ?? Int(replies[0].int ?? 0) + 1)
    }

    /// The devices of all restarts from a mark on.
    func otherRestarts(since mark: RestartMark?, of activity: UniqueID) async throws(StoreError) -> OtherRestarts {
        guard let mark else { return OtherRestarts() }
        let kept = try await value(RedisCommand("LRANGE", Keys.restarts(activity), 0, -1)).array ?? []
        return OtherRestarts(
            kept.compactMap { restart in
                guard let bytes = restart.bytes else { return nil }
                var reader = ByteReader(bytes)
                guard let order = reader.integer(UInt32.self), order >= mark.order else { return nil }
                return SlotList.decode(Array(reader.rest()))
            })
    }
}
