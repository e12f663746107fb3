import Connecting
public import Delivery
import FCMCore
import Glibc
import HTTPCalls
public import PushClient
public import Reactor
import TLS

extension FCMSender {
    /// All that it takes to send: the service account, its access tokens, the connections, the quota. Reads and checks
    /// every file and URL that the options name; opens no connection yet. The errors name what is wrong.
    ///
    /// Shut `client` down before letting go of it.
    /// - Parameters:
    ///   - sharedTokens: where gateways with the same service account share their access token. It answers on
    ///     `reactor`. Nil: this one gets its own.
    ///   - quota: of the project with this ID, which all gateways share. It answers on `reactor`.
    ///   - wallClock: seconds since 1970, by the clock that all gateways share: it dates access tokens.
    public convenience init(
        reactor: Reactor, options: FCMOptions, sharedTokens: (any SharedProviderTokens)? = nil,
        quota: (_ projectID: String) -> any SendQuota,
        wallClock: @escaping @Sendable () -> UInt64 = { UInt64(max(0, time(nil))) },
        random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
    ) throws(PushConfigurationError) {
        guard options.messages.messagesPerMinute > 0 else {
            throw .value(name: "messages per minute", reason: "must be over zero")
        }
        let account = try ServiceAccountFile.read(options.serviceAccountFile)
        let source = try AccessTokenSource(
            account, options, shared: sharedTokens, reactor: reactor, wallClock: wallClock, random: random)
        let client = try PushClient(
            reactor: reactor, options: options.push, dialect: FCMDialect(projectID: account.projectID),
            authorization: source, random: random)
        self.init(client, quota: quota(account.projectID), options: options.messages)
    }

    /// Sends as another service account of the same project from now on, as soon as the reactor comes to it. Reads and
    /// checks the file; when it throws, all is as before. From any thread.
    /// - Parameters: as of `init`.
    public func replaceCredential(
        _ options: FCMOptions, sharedTokens: (any SharedProviderTokens)? = nil,
        wallClock: @escaping @Sendable () -> UInt64 = { UInt64(max(0, time(nil))) },
        random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
    ) throws(PushConfigurationError) {
        let account = try ServiceAccountFile.read(options.serviceAccountFile)
        guard account.projectID == identity.account["project"] else {
            throw .value(name: "service account", reason: "is of another project, which counts with the next start")
        }
        // Confined to the reactor from here on.
        nonisolated(unsafe) let source = try AccessTokenSource(
            account, options, shared: sharedTokens, reactor: client.reactor, wallClock: wallClock, random: random)
        client.reactor.execute { [client] in client.replaceAuthorization(with: source) }
    }
}

extension AccessTokenSource {
    fileprivate convenience init(
        _ account: ServiceAccount, _ options: FCMOptions, shared: (any SharedProviderTokens)?, reactor: Reactor,
        wallClock: @escaping @Sendable () -> UInt64, random: @escaping @Sendable () -> UInt64
    ) throws(PushConfigurationError) {
        self.init(
            try AccessTokenSigner(account, file: options.serviceAccountFile),
            endpoint: try TokenEndpoint(options, account, on: reactor), shared: shared, reactor: reactor,
            wallClock: wallClock, random: random)
    }
}

extension TokenEndpoint {
    init(_ options: FCMOptions, _ account: ServiceAccount, on reactor: Reactor) throws(PushConfigurationError) {
        url = options.tokenURL ?? account.tokenURI
        do {
            _ = try ProviderURL.parse(url)
        } catch {
            throw .url(url, reason: error.reason)
        }
        client = try CallClient(options.push)
        self.reactor = reactor
    }
}
