import Delivery
import Encodings
public import LiveActivity
import RedisClient

/// The arrival of a call for a restart among the broadcasts of its activity. Restarts that were under way then, or were
/// recorded later, are concurrent. This restart skips their devices.
public struct RestartMark: Sendable {
    /// The lowest order number of a concurrent restart.
    let order: Int

    /// The limits of kept restarts: number, and life in ms. A call waits for ten seconds.
    static let keptRestarts = 128
    static let keptFor = 3_600_000
}

/// The devices of concurrent restarts.
struct OtherRestarts {
    /// The slots of each restart, in ascending order.
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
    /// Marks the arrival of a call for a restart.
    public func markRestart(of activity: UniqueID) async throws(StoreError) -> RestartMark {
        let replies = try await values([
            RedisCommand("HGET", Keys.activity(activity), "order"),
            RedisCommand("HGETALL", Keys.openBroadcasts(activity)),
        ])
        let starting = replies[1].fields.compactMap { OpenBroadcast($0, $1) }.filter { $0.kind == .start }.map(\.order)
        return RestartMark(order: starting.min() ?? Int(replies[0].int ?? 0) + 1)
    }

    /// The devices of all restarts since a mark.
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
