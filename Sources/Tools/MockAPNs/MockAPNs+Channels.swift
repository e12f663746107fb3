import MockKit
import Reactor

/// What became of channels. Any thread.
extension MockAPNs {
    /// The channels that there are, by identifier.
    public func channels() -> [String: MockChannel] { channelRegister.withLock { $0.channels } }

    /// The channel of this identifier, also when it is one of the last ten thousand that were deleted.
    public func channel(_ identifier: String) -> MockChannel? {
        channelRegister.withLock { $0.channel(identifier) }
    }

    /// The push-to-start tokens, in lower case, whose start was accepted with this channel in it.
    public func followers(of identifier: String) -> Set<String> { channel(identifier)?.followers ?? [] }

    /// The pushes to a channel that were accepted, in their order. Empty unless `options.ledger` is `.full`.
    public func publishes(to identifier: String) -> [MockPublish] {
        channelRegister.withLock { $0.publishes(to: identifier) }
    }

    /// Deletes a channel as if its owner had done so elsewhere; false when there is none. Not counted.
    @discardableResult
    public func removeChannel(_ identifier: String) -> Bool {
        channelRegister.withLock { $0.delete(identifier) }
    }

    /// The requests at the port where channels are managed, in their order. Empty unless `options.ledger` is `.full`.
    public func channelEntries() -> [LedgerEntry] { channelJournal.processed.map { LedgerEntry($0) } }
}
