import MockKit
import Reactor

/// Access to channels. Callable on any thread.
extension MockAPNs {
    /// Returns the existing channels by identifier.
    public func channels() -> [String: MockChannel] { channelRegister.withLock { $0.channels } }

    /// Returns the channel of this identifier, including one of the last ten thousand deleted ones.
    public func channel(_ identifier: String) -> MockChannel? {
        channelRegister.withLock { $0.channel(identifier) }
    }

    /// Returns the push-to-start tokens, in lower-case hexadecimal, of accepted starts that name this channel.
    public func followers(of identifier: String) -> Set<String> { channel(identifier)?.followers ?? [] }

    /// Returns the accepted pushes to a channel in order. Empty unless `options.ledger` is `.full`.
    public func publishes(to identifier: String) -> [MockPublish] {
        channelRegister.withLock { $0.publishes(to: identifier) }
    }

    /// Deletes a channel like a client other than the gateway. Returns false if there is none. Not counted.
    @discardableResult
    public func removeChannel(_ identifier: String) -> Bool {
        channelRegister.withLock { $0.delete(identifier) }
    }

    /// Returns the requests about channels in order. Empty unless `options.ledger` is `.full`.
    public func channelEntries() -> [LedgerEntry] { channelJournal.processed.map { LedgerEntry($0) } }
}
