import Gateway
import GatewayAPI
import PushClient
import TimeCore

/// Options for tests of provider outages.
extension GatewayOptions {
    /// Shortens the pauses between attempts, so that an outage of one second is long.
    mutating func connectAgainQuickly() {
        push.initialBackoff = .milliseconds(50)
        push.maximumBackoff = .seconds(1)
    }

    /// Shortens the pauses, limits the connections, and lets callers wait for the end of the outage.
    mutating func bearTrouble() {
        connectAgainQuickly()
        push.maximumConnections = 2
        api.waitTimeout = .seconds(120)
    }
}
