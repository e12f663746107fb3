import APNsCore
public import Delivery
import Glibc
import LiveActivity
public import PushClient
public import Reactor

extension PushClient {
    /// Creates a client that pushes to APNs. Reads and checks the options' files and the key file; opens no connection
    /// yet.
    /// - Parameters:
    ///   - sharedTokens: A store that shares the provider token with clients of the same key, also in other processes.
    ///     It answers on `reactor`. With nil the client signs its own tokens.
    ///   - wallClock: Seconds since 1970, for the provider token.
    public convenience init(
        reactor: Reactor, options: PushClientOptions, credential: ProviderCredential,
        sharedTokens: (any SharedProviderTokens)? = nil,
        wallClock: @escaping @Sendable () -> UInt64 = { UInt64(max(0, time(nil))) }
    ) throws(PushConfigurationError) {
        let source = try ProviderTokenSource(
            credential, shared: sharedTokens, reactor: reactor, wallClock: wallClock)
        try self.init(reactor: reactor, options: options, dialect: APNsDialect(), authorization: source)
    }

    /// Replaces the signing key, asynchronously on the reactor. Reads and checks the key file, and changes nothing if
    /// it throws. From any thread.
    /// - Parameters: See `init`.
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
    /// A push of this app's Live Activities to the token of 64 zeros, which no device has. Nil if the topic is invalid
    /// in a header field.
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
