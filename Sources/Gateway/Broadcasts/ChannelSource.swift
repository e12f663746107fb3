public import LiveActivity

/// Where an app's activities get their broadcast channels from.
public protocol ChannelSource: Sendable {
    /// From how many devices on an activity whose channel is not required has one.
    var threshold: Int { get }

    /// A channel for an activity's devices of an environment: one that is ready, else one that is made now, within 3 s.
    /// The same activity is given the same one again. Nil when none can be had: the start then goes by tokens alone.
    /// - Parameter storesNewest: whether the provider keeps the newest message to it for phones that are off.
    func channel(
        for activity: UniqueID, environment: Device.Environment, storesNewest: Bool
    ) async -> String?
}
