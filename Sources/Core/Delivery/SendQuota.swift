public import TimeCore

/// Where the quota of messages is kept that all gateways share which send with one account. All on the reactor of
/// whoever asks.
public protocol SendQuota: AnyObject, Sendable {
    /// Asks for leave to send messages. It is used up by being given, whether they are sent or not.
    /// - Parameters:
    ///   - count: at least one.
    ///   - completion: called exactly once, within seconds, on the thread of the caller's reactor; it may be called
    ///     before this returns.
    func take(_ count: Int, completion: @escaping (SendQuotaReply) -> Void)

    /// The provider says that the quota is used up: nobody is given leave for so long.
    func quotaExceeded(wait: TimeInterval)

    /// The provider is in trouble: leave is given at half the rate, and by and by at the whole again.
    func slowDown()
}

/// What was given.
public enum SendQuotaReply: Hashable, Sendable {
    /// Leave for so many messages, none to all that were asked for, and how long it is of no use to ask again.
    case granted(Int, wait: TimeInterval)
    /// Nobody can say; leave may have been given.
    case unavailable
}
