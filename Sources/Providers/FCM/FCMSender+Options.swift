import Connecting
public import Delivery
import FCMCore
import Glibc
import ProviderCalls
public import PushClient
public import Reactor
import TLS

extension FCMSender {
    /// All that it takes to send: the service account, its access tokens, the connections, the quota. Reads and checks every
    /// file and URL that the options name; opens no connection yet. The errors name what is wrong.
    ///
    /// Shut `client` down before letting go of it.
    /// - Parameters:
    ///   - sharedTokens: where gateways with the same service account share their access token. It answers on `reactor`. Nil:
    ///     this one gets its own.
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
        let source = AccessTokenSource(
            try AccessTokenSigner(account, file: options.serviceAccountFile),
            endpoint: try TokenEndpoint(options, account, on: reactor), shared: sharedTokens, reactor: reactor,
            wallClock: wallClock, random: random)
        let client = try PushClient(
            reactor: reactor, options: options.push, dialect: FCMDialect(projectID: account.projectID),
            authorization: source, random: random)
        self.init(client, quota: quota(account.projectID), options: options.messages)
    }
}

extension TokenEndpoint {
    init(_ options: FCMOptions, _ account: ServiceAccount, on reactor: Reactor) throws(PushConfigurationError) {
        let text = options.tokenURL ?? account.tokenURI
        let url: ProviderURL
        do {
            (url, path) = try ProviderURL.parse(text)
        } catch {
            throw .url(text, reason: error.reason)
        }
        let connector: ProviderConnector
        do {
            connector = try ProviderConnector(
                to: url, trust: options.push.trust, options: options.push.connecting, on: reactor)
        } catch {
            throw .trust(error.description)
        }
        client = CallClient(connector, on: reactor)
        self.url = text
    }
}
