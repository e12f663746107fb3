import Delivery
import HTTP2Core
import Logging
import PushClient
import Reactor
import TimeCore

/// Writes what becomes of connections and provider tokens into the log.
enum PushClientLog {
    /// Sets itself up to be told by a client.
    static func attach(to client: PushClient, _ logger: Logger) {
        var logger = logger
        logger[metadataKey: "provider"] = "\(client.options.url)"
        let described = logger
        client.reactor.execute { client.onEvent = { write($0, described) } }
    }

    private static func write(_ event: PushClientEvent, _ logger: Logger) {
        switch event {
        case .connectionReady(let address, let streamLimit):
            logger.debug("connected", metadata: ["address": "\(address)", "stream_limit": "\(streamLimit)"])
        case .connectionLost(let reason): logger.warning("connection lost", metadata: ["reason": "\(reason)"])
        case .goAway(let address, let errorCode):
            // NO_ERROR is a normal end of a connection.
            logger.log(
                level: errorCode == HTTP2ErrorCode.noError ? .debug : .notice,
                "the provider sent GOAWAY",
                metadata: ["address": "\(address)", "code": "\(HTTP2ErrorCode.name(errorCode))"])
        case .authorizationRenewed(let identity):
            logger.info("provider token renewed", metadata: identity.account.metadata)
        case .paused(let reason):
            logger.error(
                "the provider is in trouble: broadcasts pause, and single pushes try it",
                metadata: ["reason": "\(reason.name)", "kind": "\(reason.kind.rawValue)", "error": "\(reason.text)"])
        case .resumed(let reason, let after):
            logger.notice(
                "the provider serves again: broadcasts go on",
                metadata: ["reason": "\(reason.name)", "paused_seconds": "\(after.inSeconds)"])
        case .failing(let reason):
            logger.warning(
                "no connection to the provider; pushes wait, and the gateway tries again",
                metadata: ["reason": "\(reason)"])
        }
    }
}

extension ProviderAccount {
    /// The credential's public name, for a line of the log.
    var metadata: Logger.Metadata {
        Logger.Metadata(labels.map { ($0.name, "\($0.value)") }, uniquingKeysWith: { first, _ in first })
    }
}
