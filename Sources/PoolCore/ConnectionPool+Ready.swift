extension ConnectionPool {
    /// How many connections for ordinary pushes take streams, up to their limits.
    public var readyConnections: Int {
        var count = 0
        for connection in connections where connection?.purpose == .ordinary && connection?.state == .ready { count += 1 }
        return count
    }
}
