import Broadcasts
import LiveActivity
import TimeCore

/// The channel source of one app.
struct AppChannels: ChannelSource {
    let threshold: Int
    let patience: TimeInterval
    /// The keeper of each environment. Both environments have the same one if they share a server.
    let keepers: [Device.Environment: ChannelKeeper]

    func channel(
        for activity: UniqueID, environment: Device.Environment, storesNewest: Bool
    ) async -> String? {
        guard let keeper = keepers[environment] else { return nil }
        let (answers, answer) = AsyncStream<String?>.makeStream()
        // A channel that arrives too late is still recorded. It is deleted if the activity does not name it.
        Task {
            answer.yield(await keeper.channel(for: activity, environment, storesNewest: storesNewest))
            answer.finish()
        }
        let timer = Task { [patience] in
            try? await Task.sleep(for: patience.duration)
            answer.yield(nil)
            answer.finish()
        }
        defer { timer.cancel() }
        for await channel in answers { return channel }
        return nil
    }
}
