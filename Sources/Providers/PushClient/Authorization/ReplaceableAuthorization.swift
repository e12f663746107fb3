public import Delivery
import Reactor

/// The authorization of a client, whose source can be replaced during operation. Values of all sources share one
/// sequence of epochs, so none is mistaken for another.
///
/// Confined to the client's reactor, except `init` and `account`.
public final class ReplaceableAuthorization: AuthorizationSource {
    private var source: any AuthorizationSource
    private let accountNow: Locked<ProviderAccount>
    private var listeners: [(AuthorizationChange) -> Void] = []
    private var epoch: UInt32 = 0
    /// The source's epoch of `current`.
    private var sourceEpoch: UInt32 = 0
    private var isNewSource = false
    /// The count of replaced sources.
    private var formerUnusableValues: UInt64 = 0

    /// The newest value of the present source.
    public private(set) var current: AuthorizationValue?
    /// Also nil until a new source has its first value.
    public var usable: AuthorizationValue? { source.usable == nil ? nil : current }
    /// The error of the present source.
    public var failure: String? { source.failure }
    /// The age of the present source's value in seconds.
    public var age: UInt64? { source.age }
    /// The count of all sources.
    public var unusableValues: UInt64 { formerUnusableValues + source.unusableValues }
    /// The account of the present source. From any thread.
    public var account: ProviderAccount { accountNow.withLock { $0 } }

    /// - Parameter source: An unused source on the client's reactor.
    init(_ source: any AuthorizationSource) {
        self.source = source
        accountNow = Locked(source.account)
    }

    /// Begins to observe the source. Call it first on the reactor.
    func begin() { listen(to: source) }

    /// Replaces the source for later requests. Earlier requests keep their values.
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

    /// Refreshes the source.
    public func refresh() { source.refresh() }

    /// Ignores values of replaced sources.
    public func expiryReported(epoch: UInt32) {
        guard epoch == self.epoch, current != nil else { return }
        source.expiryReported(epoch: sourceEpoch)
    }

    /// Forwards the report to the source.
    public func tooManyChangesReported() { source.tooManyChangesReported() }

    /// Retires the source.
    public func retire() { source.retire() }

    /// Adds a callback for all sources. The first value of a replacement is reported as `otherCredential`.
    public func whenSettled(_ body: @escaping (AuthorizationChange) -> Void) { listeners.append(body) }
}
