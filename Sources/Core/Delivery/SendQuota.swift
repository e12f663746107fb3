public import TimeCore

/// The quota of messages that all gateways with one account share. Its members belong to the caller's reactor.
public protocol SendQuota: AnyObject, Sendable {
    /// Requests permits to send messages. A permit is used up once granted, even if no message is sent.
    /// - Parameters:
    ///   - count: At least 1.
    ///   - completion: Called exactly once, within seconds, on the thread of the caller's reactor. It may be called
    ///     before this returns.
    func take(_ count: Int, completion: @escaping (SendQuotaReply) -> Void)

    /// Pauses the permits, because the provider reports that the quota is used up.
    func quotaExceeded(wait: TimeInterval)

    /// Halves the rate of permits, which then recovers, because the provider is in trouble.
    func slowDown()
}

/// The reply to a request for permits.
public enum SendQuotaReply: Hashable, Sendable {
    /// The number of permits, from none to all requested, and the time until the next request can succeed.
    case granted(Int, wait: TimeInterval)
    /// The state is not known. Permits may have been granted.
    case unavailable
}
