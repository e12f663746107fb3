import Logging
import PushClient
import PushProtocol

/// Tries at start, in the background, whether each provider takes its credential, and logs what it says. A refused one
/// pauses its client, so that nothing is burned by it.
enum CredentialTrial {
    /// - Parameter apps: clients with the bundle identifiers of their apps; of each client the first one counts.
    static func begin(_ apps: [(client: PushClient, bundleIdentifier: String)], _ logger: Logger) {
        var tried: [PushClient] = []
        for (client, bundleIdentifier) in apps where !tried.contains(where: { $0 === client }) {
            tried.append(client)
            var logger = logger
            logger[metadataKey: "provider"] = "\(client.options.url)"
            logger[metadataKey: "key"] = "\(client.options.credential.keyIdentifier)"
            let described = logger
            Task {
                let topic = PushHeaders.liveActivityTopic(bundleIdentifier: bundleIdentifier)
                write(await client.probeCredential(topic: topic), described)
            }
        }
    }

    private static func write(_ verdict: CredentialVerdict, _ logger: Logger) {
        switch verdict {
        case .good: logger.info("the provider takes the credential")
        case .refused(let reason):
            logger.error(
                "the provider refuses the credential; nothing is sent with it until it is taken",
                metadata: ["reason": "\(reason)"])
        case .noConnection, .noAnswer:
            logger.warning("the credential could not be tried", metadata: ["reason": "\(verdict)"])
        }
    }
}
