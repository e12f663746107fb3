// An app that uses the library as the guide says: type-checked against the library and the stub of ActivityKit.
import ActivityKit
import FanfareDevice
import Foundation

struct MatchAttributes: ActivityAttributes, Sendable {
    struct ContentState: Codable, Hashable, Sendable { var home: Int }
    var fanfareID: String?
}

@MainActor final class AppDelegate {
    let system = ActivityKitSystem()
    lazy var fanfare = FanfareDevice(
        FanfareConfiguration(gateway: URL(string: "https://push.example.com")!, sdkKey: "key")!, system: system,
        storage: FileSnapshotStorage(file: URL(fileURLWithPath: "/tmp/fanfare.json")))

    func didFinishLaunching() {
        system.watch(MatchAttributes.self, activityID: { $0.fanfareID })
        Task { await fanfare.start() }
    }

    func startOwn() throws -> String {
        try system.start(
            MatchAttributes(), content: ActivityContent(state: .init(home: 0), staleDate: nil),
            as: ExternalActivity(activityType: "MatchAttributes", externalID: "m1"), channel: nil)
    }
}
