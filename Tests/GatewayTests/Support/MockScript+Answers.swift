import MockAPNs
import TimeCore

extension MockScript {
    /// A provider that does the same with all requests that pass its checks.
    static func always(_ action: MockRule.Action) -> MockScript {
        var script = MockScript()
        script.rules = [MockRule(.init(), action)]
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
