import MockAPNs
import TimeCore

extension MockScript {
    /// A provider that does the same with all requests that pass its checks.
    static func always(_ action: MockRule.Action) -> MockScript {
        var script = MockScript()
        script.rules = [MockRule(.init(), action)]
        return script
    }

    /// A provider that answers late.
    ///
    /// - Parameter streams: The number of requests that a connection takes at once; nil for the mock's default.
    static func slow(_ latency: TimeInterval, streams: UInt32? = nil) -> MockScript {
        var script = MockScript()
        script.latency = .fixed(latency)
        if let streams { script.streamLimit = .init(usual: streams) }
        return script
    }

    /// A provider that calls a token dead.
    static func unregistered(_ token: String) -> MockScript {
        var script = MockScript()
        script.rules = [
            MockRule(
                .init(tokens: [token]),
                .answer(status: 410, reason: "Unregistered", timestamp: WallTime.now().milliseconds))
        ]
        return script
    }
}
