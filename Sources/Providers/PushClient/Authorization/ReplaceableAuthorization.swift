public import Delivery
import Reactor

/// The authorization of a client whose credential can be replaced while it works: that of one source at a time. It
/// counts the values of all its sources in one row, so that none is taken for another's.
///
/// Confined to the client's reactor, but for `init` and `account`.
public final class ReplaceableAuthorization: AuthorizationSource {
    private var source: any AuthorizationSource
    private let accountNow: Locked<ProviderAccount>
    private var listeners: [(AuthorizationChange) -> Void] = []
    private var epoch: UInt32 = 0
    /// Which of the source's values `current` is.
    private var sourceEpoch: UInt32 = 0
    private var isNewSource = false
    /// Those of sources that were replaced.
    private var formerUnusableValues: UInt64 = 0

    /// The newest value of the source that is in force.
    public private(set) var current: AuthorizationValue?
    /// Nil also while a source that has just come has none.
    public var usable: AuthorizationValue? { source.usable == nil ? nil : current }
    /// Of the source that is in force.
    public var failure: String? { source.failure }
    /// Of the source that is in force.
    public var age: UInt64? { source.age }
    /// Of all sources.
    public var unusableValues: UInt64 { formerUnusableValues + source.unusableValues }
    /// Of the source that is in force. From any thread.
    public var account: ProviderAccount { accountNow.withLock { $0 } }

    /// - Parameter source: on the client's reactor, and nobody has asked it for anything.
    init(_ source: any AuthorizationSource) {
        self.source = source
        accountNow = Locked(source.account)
    }

    /// Before anything else on the reactor.
    func begin() { listen(to: source) }

    /// From now on requests are sent with what this source has. What those before are sent with is theirs until they
    /// end.
    func replace(with source: any AuthorizationSource) {
        let former = self.source
        formerUnusableValues += former.unusableValues
        self.source = source
        accountNow.withLock { $0 = source.account }
        current = nil
        isNewSource = true
        listen(to: source)
        former.retire()
        source.refresh()
    }

    private func listen(to source: any AuthorizationSource) {
        source.whenSettled { [weak self, weak source] change in
            guard let self, let source, source === self.source else { return }
            settled(change)
        }
    }

    private func settled(_ change: AuthorizationChange) {
        var change = change
        if change != .none, let value = source.current {
            epoch &+= 1
            sourceEpoch = value.epoch
            current = AuthorizationValue(epoch: epoch, String(decoding: value.bytes, as: UTF8.self))
            if isNewSource { change = .otherCredential }
            isNewSource = false
        }
        for listener in listeners { listener(change) }
    }

    /// Asks the source.
    public func refresh() { source.refresh() }

    /// A value of a source that was replaced is not looked at.
    public func expiryReported(epoch: UInt32) {
        guard epoch == self.epoch, current != nil else { return }
        source.expiryReported(epoch: sourceEpoch)
    }

    /// Tells the source.
    public func tooManyChangesReported() { source.tooManyChangesReported() }

    /// Retires the source.
    public func retire() { source.retire() }

    /// Has `body` called for each source in turn; the first value of one that took another's place is
    /// `otherCredential`.
    public func whenSettled(_ body: @escaping (AuthorizationChange) -> Void) { listeners.append(body) }
}
