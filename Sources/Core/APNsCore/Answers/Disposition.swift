/// The action for a push that the provider refused.
public enum Disposition: Hashable, Sendable, CaseIterable {
    /// The token is dead. Drop it, but only if it was registered at or before the answer's timestamp.
    case dropToken
    /// A permanent error for this token: quarantine and count it. A wrong environment causes it for every token. A
    /// broadcast whose first pushes nearly all get it must stop with an alarm.
    case quarantineToken
    /// The token belongs to another app. Until the provider has accepted a push for the topic, the topic may be wrong.
    case tokenOfAnotherTopic
    /// The topic is not the app's: pause until the configuration is corrected.
    case topicRefused
    /// Probably an error of the gateway or the configuration: final for this device, and likely for every push of the
    /// broadcast. A single answer proves nothing; a share of answers does.
    case requestRefused
    /// The provider token is too old: retry one time with the next token.
    case renewProviderToken
    /// The provider token was changed too often: keep the current token and wait.
    case keepProviderTokenAndWait
    /// This connection accepts no more requests: send again on a new connection.
    case newConnectionAndRetry
    /// The credential is invalid: stop its broadcasts and raise an alarm.
    case credentialBad
    /// The provider or the device is busy: retry later, with jitter and the newest state only.
    case retryLater

    /// The disposition for a reason that is not in the table.
    public static func forUnknownReason(status: UInt16) -> Disposition {
        switch status {
        // A proxy or load balancer answered in place of the provider.
        case 300...399: .retryLater
        // The connection was too slow or misdirected (RFC 9110, 15.5.9 and 15.5.20).
        case 408, 421: .newConnectionAndRetry
        // Credentials may be corrected while the broadcast is valid.
        case 403: .credentialBad
        case 410: .dropToken
        case 429, 500...599: .retryLater
        default: .requestRefused
        }
    }
}
