import Delivery
import FCM
import Logging
import TimeCore

/// Logs that a provider has reported its message quota as used up.
enum SendQuotaLog {
    static func attach(to sender: FCMSender, _ logger: Logger) {
        let account = sender.identity.account.metadata
        sender.whenQuotaIsUsedUp { wait in
            var metadata = account
            metadata["seconds"] = .stringConvertible(wait.nanoseconds / 1_000_000_000)
            metadata["remedy"] = "set fcm.messages_per_minute to the project's quota, or have Google raise the quota"
            logger.warning("provider message quota used up, sending paused", metadata: metadata)
        }
    }
}
