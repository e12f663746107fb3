/// Hears, on the reactor's thread at the end of a turn, that there is more room than before.
public protocol RoomListener: AnyObject {
    /// `PushClient.room` has grown, and is not used up by the listeners that were told before.
    func roomGrew(_ client: PushClient)

    /// How many pushes it would give if there were room, roughly: so many connections are worth opening. Asked at the
    /// end of turns that leave the queue full or while nothing can be sent; see `PushClient.workCame`.
    var pushesWaiting: Int { get }

    /// The client's `health` has changed.
    func healthChanged(_ client: PushClient)
}

extension RoomListener {
    /// Does nothing.
    public func healthChanged(_ client: PushClient) {}
}
