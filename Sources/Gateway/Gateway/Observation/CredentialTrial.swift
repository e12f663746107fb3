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
        func logUnverified(_ kind: PauseReason.Kind) {
            logger.warning("credential not verified", metadata: ["reason": "\(verdict)", "remedy": "\(kind.remedy)"])
        }
        switch verdict {
        case .good: logger.info("provider accepts the credential")
        case .refused(let reason):
            logger.error(
                "provider refuses the credential, pushes paused",
                metadata: ["reason": "\(reason)", "remedy": "\(PauseReason.Kind.credential.remedy)"])
        case .noConnection: logUnverified(.noConnection)
        case .noAnswer: logUnverified(.noAnswer)
        }
    }
}
