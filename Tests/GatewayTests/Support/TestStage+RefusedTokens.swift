import MockAPNs
import TimeCore

extension TestStage {
    /// Has pushes to a token answered with 410 `Unregistered`, or with 400 `BadDeviceToken`.
    func refuse(_ token: [UInt8], status: Int = 410) {
        var script = MockScript()
        let now = max(WallTime.now(), clock?.now ?? .now()).milliseconds
        script.rules = [
            MockRule(
                .init(tokens: [TestStage.hex(token)]),
                status == 410
                    ? .answer(status: 410, reason: "Unregistered", timestamp: now + 60_000)
                    : .answer(status: 400, reason: "BadDeviceToken"))
        ]
        mock.setScript(script)
    }
}
