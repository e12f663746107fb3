import Broadcasts
import LiveActivity
import TimeCore

/// Gives the activities of one app their channels.
struct AppChannels: ChannelSource {
    let threshold: Int
    let patience: TimeInterval
    /// One for each environment; the same one for both where they are one place.
    let keepers: [Device.Environment: ChannelKeeper]

    func channel(
        for activity: UniqueID, environment: Device.Environment, storesNewest: Bool
    ) async -> String? {
        guard let keeper = keepers[environment] else { return nil }
        let (answers, answer) = AsyncStream<String?>.makeStream()
        // What comes too late is recorded all the same, and deleted when the activity does not name it.
        Task {
            answer.yield(await keeper.channel(for: activity, environment, storesNewest: storesNewest))
            answer.finish()
        }
        let timer = Task { [patience] in
            try? await Task.sleep(for: .nanoseconds(Int64(clamping: patience.nanoseconds)))
            answer.yield(nil)
            answer.finish()
        }
        defer { timer.cancel() }
        for await channel in answers { return channel }
        return nil
    }
}
