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
            let described = logger
            Task {
                let verdict = await client.probeCredential(probe)
                // A replaced credential has its name now; before the probe it may still have had the former one.
                var logger = described
                if let key = client.identity.account.labels.last { logger[metadataKey: key.name] = "\(key.value)" }
                write(verdict, logger)
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
        case .shutDown: break
        }
    }
}
