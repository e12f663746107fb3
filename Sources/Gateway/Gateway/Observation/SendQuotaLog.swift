import Delivery
import FCM
import Logging
import TimeCore

/// Tells in the log when a provider says that the quota of messages is used up.
enum SendQuotaLog {
    static func attach(to sender: FCMSender, _ logger: Logger) {
        let account = sender.identity.account.metadata
        sender.whenQuotaIsUsedUp { wait in
            var metadata = account
            metadata["seconds"] = "\(wait.nanoseconds / 1_000_000_000)"
            logger.warning("provider message quota used up, sending paused", metadata: metadata)
        }
    }
}
