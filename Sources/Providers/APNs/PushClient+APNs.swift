import APNsCore
public import Delivery
import Glibc
import LiveActivity
public import PushClient
public import Reactor

extension PushClient {
    /// A client that pushes to APNs. Reads and checks the key file besides what the options name; opens no connection
    /// yet.
    /// - Parameters:
    ///   - sharedTokens: where clients with the same key, in other processes too, share their provider token. It
    ///     answers on `reactor`. Nil: the client signs for itself alone.
    ///   - wallClock: seconds since 1970, for the provider token.
    public convenience init(
        reactor: Reactor, options: PushClientOptions, credential: ProviderCredential,
        sharedTokens: (any SharedProviderTokens)? = nil,
        wallClock: @escaping @Sendable () -> UInt64 = { UInt64(max(0, time(nil))) }
    ) throws(PushConfigurationError) {
        let source = try ProviderTokenSource(
            credential, shared: sharedTokens, reactor: reactor, wallClock: wallClock)
        try self.init(reactor: reactor, options: options, dialect: APNsDialect(), authorization: source)
    }

    /// Signs with another key from now on, as soon as the reactor comes to it. Reads and checks the key file; when it
    /// throws, all is as before. From any thread.
    /// - Parameters: as of `init`.
    public func replaceCredential(
        _ credential: ProviderCredential, sharedTokens: (any SharedProviderTokens)? = nil,
        wallClock: @escaping @Sendable () -> UInt64 = { UInt64(max(0, time(nil))) }
    ) throws(PushConfigurationError) {
        // Confined to the reactor from here on.
        nonisolated(unsafe) let source = try ProviderTokenSource(
            credential, shared: sharedTokens, reactor: reactor, wallClock: wallClock)
        reactor.execute { self.replaceAuthorization(with: source) }
    }
}

extension ProbePush {
    /// A push of this app's live activities to the token of 64 zeros, which is nobody's; nil when the topic cannot
    /// stand in a header field.
    public static func apns(topic: String) -> ProbePush? {
        guard let headers = try? PushHeaders(topic: topic, priority: .considerate, expiration: 0),
            let push = try? PushTemplate(
                destination: .updateToken, event: .update, headers: headers,
                identifier: PushIdentifier(broadcast: UniqueID(high: 0, low: 0)),
                body: #"{"aps":{"timestamp":0,"event":"update","content-state":{}}}"#.utf8)
        else { return nil }
        return ProbePush(push, address: [UInt8](repeating: 0, count: 32))
    }
}
