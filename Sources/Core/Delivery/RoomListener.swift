/// Hears, on the reactor's thread at the end of a turn, that there is more room than before.
public protocol RoomListener: AnyObject {
    /// There is more room, and it is not used up by the listeners that were told before.
    func roomGrew()

    /// How many pushes it would give if there were room, roughly: so many connections are worth opening. Asked at the
    /// end of turns that leave the queue full or while nothing can be sent; see `PushProvider.workCame`.
    var pushesWaiting: Int { get }

    /// The provider's `health` has changed.
    func healthChanged()
}

extension RoomListener {
    /// Does nothing.
    public func healthChanged() {}
}
