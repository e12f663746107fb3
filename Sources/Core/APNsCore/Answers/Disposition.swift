/// What to do about a push that the provider refused.
public enum Disposition: Hashable, Sendable, CaseIterable {
    /// The token is dead. Drop it, but only if it was registered at or before the answer's timestamp.
    case dropToken
    /// Permanent for this token; keep it aside and count it. A wrong environment gives it for every token, so a
    /// broadcast in which nearly all of the first pushes get it must stop with an alarm.
    case quarantineToken
    /// The token belongs to another app. Until the provider has accepted a push for the topic, the topic may be wrong.
    case tokenOfAnotherTopic
    /// The topic is not the app's: pause until the configuration is corrected.
    case topicRefused
    /// Our own fault or the configuration's, most likely: final for this device, and probably what every push of the
    /// broadcast would be told. A single one proves nothing; a share of answers does.
    case requestRefused
    /// The provider token is too old: one retry with the next one.
    case renewProviderToken
    /// The provider token was changed too often: keep the one in use and wait.
    case keepProviderTokenAndWait
    /// This connection will not serve any more: send again on a new one.
    case newConnectionAndRetry
    /// The credential is bad: stop its broadcasts and raise an alarm.
    case credentialBad
    /// The provider or the device is busy: later, with jitter, the newest state only.
    case retryLater

    /// For a reason that is not in the table.
    public static func forUnknownReason(status: UInt16) -> Disposition {
        switch status {
        // Something between us and the provider has answered in its place.
        case 300...399: .retryLater
        // This connection was too slow, or leads to a server that does not serve us (RFC 9110, 15.5.9 and 15.5.20).
        case 408, 421: .newConnectionAndRetry
        // Whatever is wrong with the credential: it may be mended while the broadcast is valid.
        case 403: .credentialBad
        case 410: .dropToken
        case 429, 500...599: .retryLater
        default: .requestRefused
        }
    }
}
