import Delivery
import Logging
import PushClient

/// Tries at start, in the background, whether each provider takes its credential, and logs what it says. A refused one
/// pauses its client, so that nothing is burned by it.
enum CredentialTrial {
    /// - Parameter probes: of those that share a client the first one counts.
    static func begin(_ probes: [(client: PushClient, probe: ProbePush)], _ logger: Logger) {
        var tried: Set<ObjectIdentifier> = []
        for (client, probe) in probes where tried.insert(ObjectIdentifier(client)).inserted {
            var logger = logger
            logger[metadataKey: "provider"] = "\(client.options.url)"
            if let key = client.identity.account.labels.last { logger[metadataKey: key.name] = "\(key.value)" }
            let described = logger
            Task {
                write(await client.probeCredential(probe), described)
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
