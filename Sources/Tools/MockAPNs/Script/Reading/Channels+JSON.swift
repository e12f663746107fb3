import MockKit
import TimeCore

extension MockScript.Channels {
    enum Key: String, ScriptKey {
        case enabled, limit
        case publishInterval = "publish_interval_ms"
        case publishBurst = "publish_burst"

        static let place = "channels"
    }

    init(_ channels: ScriptObject<Key>) throws(MockError) {
        self.init()
        isEnabled = try channels.bool(.enabled) ?? isEnabled
        limit = try channels.int(.limit) ?? limit
        publishBurst = try channels.int(.publishBurst, in: 1...1_000) ?? publishBurst
        if let interval = try channels.milliseconds(.publishInterval) {
            publishInterval = interval == .zero ? nil : interval
        }
        if publishInterval == nil {
            try channels.refuse(.publishBurst, because: "is not allowed with a publish_interval_ms of 0")
        }
    }
}
