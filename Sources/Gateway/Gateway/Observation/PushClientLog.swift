import Delivery
import HTTP2Core
import Logging
import PushClient
import Reactor
import TimeCore

/// Writes what becomes of connections and provider tokens into the log.
enum PushClientLog {
    /// Logs the events of a client from now on.
    static func attach(to client: PushClient, _ logger: Logger) {
        var logger = logger
        logger[metadataKey: "provider"] = "\(client.options.url)"
        let described = logger
        client.reactor.execute { client.onEvent = { write($0, described) } }
    }

    private static func write(_ event: PushClientEvent, _ logger: Logger) {
        switch event {
        case .connectionReady(let address, let streamLimit):
            logger.debug(
                "connected", metadata: ["address": "\(address)", "stream_limit": .stringConvertible(streamLimit)])
        case .connectionLost(let reason): logger.warning("provider connection lost", metadata: ["reason": "\(reason)"])
        case .goAway(let address, let errorCode):
            // NO_ERROR is a normal end of a connection.
            logger.log(
                level: errorCode == HTTP2ErrorCode.noError ? .debug : .notice,
                "provider sent GOAWAY",
                metadata: ["address": "\(address)", "code": "\(HTTP2ErrorCode.name(errorCode))"])
        case .authorizationRenewed(let identity):
            logger.info("provider token renewed", metadata: identity.account.metadata)
        case .paused(let reason):
            logger.error(
                "push provider unavailable, broadcasts paused",
                metadata: [
                    "reason": "\(reason.name)", "kind": "\(reason.kind.rawValue)", "error": "\(reason.text)",
                    "remedy": "\(reason.kind.remedy)",
                ])
        case .resumed(let reason, let after):
            logger.notice(
                "push provider available, broadcasts resumed",
                metadata: ["reason": "\(reason.name)", "paused_seconds": .stringConvertible(after.inSeconds)])
        case .failing(let reason):
            logger.warning(
                "no connection to the push provider",
                metadata: ["reason": "\(reason)", "remedy": "\(PauseReason.Kind.noConnection.remedy)"])
        }
    }
}

extension PauseReason.Kind {
    /// The step that an operator takes first.
    var remedy: String {
        switch self {
        case .noConnection:
            "run fanfare doctor; allow outgoing TCP to the provider's port, or set apns.proxy or fcm.proxy"
        case .noAnswer: "see the provider's status page; the gateway retries automatically"
        case .overloaded: "wait; the gateway retries automatically at a lower rate"
        case .refused: "run fanfare doctor; check for a proxy or a limit between the gateway and the provider"
        case .credential: "run fanfare doctor; correct the key in the configuration and send SIGHUP"
        case .topic: "correct apns.bundle_id or fcm.service_account_file, or allow the key to use that app"
        }
    }
}

extension ProviderAccount {
    /// The credential's public name, for a line of the log.
    var metadata: Logger.Metadata {
        Logger.Metadata(labels.map { ($0.name, "\($0.value)") }, uniquingKeysWith: { first, _ in first })
    }
}
