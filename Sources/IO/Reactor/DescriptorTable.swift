import CLinux

/// The events for which a descriptor is watched. Errors and hang-ups are always reported.
public struct Interest: OptionSet, Sendable {
    /// A bit for each event.
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Data can be received, or a connection accepted.
    public static let read = Interest(rawValue: 1)
    /// More data can be sent.
    public static let write = Interest(rawValue: 2)

    var events: UInt32 {
        (contains(.read) ? fanfare_epoll_in | fanfare_epoll_rdhup : 0) | (contains(.write) ? fanfare_epoll_out : 0)
    }
}

/// The events for which a descriptor is ready. A hang-up or error counts as both, because the next call reports it.
public struct Readiness: Sendable {
    /// True if the owner should receive or accept.
    public let isReadable: Bool
    /// True if the owner should send.
    public let isWritable: Bool

    init(events: UInt32) {
        let ended = events & (fanfare_epoll_err | fanfare_epoll_hup) != 0
        isReadable = ended || events & (fanfare_epoll_in | fanfare_epoll_rdhup) != 0
        isWritable = ended || events & fanfare_epoll_out != 0
    }
}

/// Called on the reactor's thread when a watched descriptor is ready.
public protocol DescriptorHandler: AnyObject {
    func descriptorReady(_ readiness: Readiness)
}

/// Called on the reactor's thread at the end of a turn.
public protocol TurnParticipant: AnyObject {
    func turnEnded()
}

/// Identifies one watch. The generation keeps an event of a closed descriptor from reaching the next owner of its slot.
public struct Watch: Equatable, Sendable {
    let slot: UInt32
    let generation: UInt32

    var data: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
}

/// The watched descriptors of one reactor.
struct DescriptorTable {
    /// The data of the reactor's own event descriptor, which no slot can have.
    static let wakeupData = UInt64.max

    private struct Entry {
        var generation: UInt32
        var descriptor: Int32
        var handler: (any DescriptorHandler)?
    }

    private var entries: [Entry] = []
    private var free: [UInt32] = []

    mutating func insert(_ descriptor: Int32, _ handler: any DescriptorHandler) -> Watch {
        if let slot = free.popLast() {
            entries[Int(slot)].descriptor = descriptor
            entries[Int(slot)].handler = handler
            return Watch(slot: slot, generation: entries[Int(slot)].generation)
        }
        entries.append(Entry(generation: 1, descriptor: descriptor, handler: handler))
        return Watch(slot: UInt32(entries.count - 1), generation: 1)
    }

    mutating func remove(_ watch: Watch) {
        guard descriptor(of: watch) != nil else { return }
        entries[Int(watch.slot)].handler = nil
        entries[Int(watch.slot)].generation &+= 1
        free.append(watch.slot)
    }

    func descriptor(of watch: Watch) -> Int32? {
        let slot = Int(watch.slot)
        guard slot < entries.count, entries[slot].generation == watch.generation, entries[slot].handler != nil else {
            return nil
        }
        return entries[slot].descriptor
    }

    func handler(of data: UInt64) -> (any DescriptorHandler)? {
        let slot = Int(UInt32(truncatingIfNeeded: data))
        guard slot < entries.count, entries[slot].generation == UInt32(data >> 32) else { return nil }
        return entries[slot].handler
    }
}
