/// Gets notifications of room and health on the reactor's thread at the end of a turn.
public protocol RoomListener: AnyObject {
    /// Notifies that there is more room, which the listeners before this one have not used up.
    func roomGrew()

    /// The approximate number of pushes that wait for room, which decides how many connections to open. Read at the end
    /// of turns that leave the queue full or while nothing can be sent; see `PushProvider.workCame`.
    var pushesWaiting: Int { get }

    /// Notifies that the provider's `health` has changed.
    func healthChanged()
}

extension RoomListener {
    /// Does nothing.
    public func healthChanged() {}
}
