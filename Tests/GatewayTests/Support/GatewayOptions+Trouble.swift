import Gateway
import GatewayAPI
import PushClient
import TimeCore

/// For tests in which the provider is in trouble.
extension GatewayOptions {
    /// Short pauses between attempts, so that trouble of a second is a long one.
    mutating func connectAgainQuickly() {
        push.initialBackoff = .milliseconds(50)
        push.maximumBackoff = .seconds(1)
    }

    /// The same with few connections, and callers that wait until it is over.
    mutating func bearTrouble() {
        connectAgainQuickly()
        push.maximumConnections = 2
        api.waitTimeout = .seconds(120)
    }
}
