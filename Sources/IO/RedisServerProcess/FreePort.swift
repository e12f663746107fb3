import Reactor

/// Finds ports of 127.0.0.1 without a listener.
enum FreePort {
    static func find() -> UInt16? {
        listenOnce(port: 0)
    }

    /// Returns a port for a cluster node, whose bus uses the port 10,000 higher. Both are below the system's range for
    /// outgoing connections.
    static func findForClusterNode() -> UInt16? {
        for _ in 0..<200 {
            let port = UInt16.random(in: 11_000..<22_000)
            if listenOnce(port: port) != nil, listenOnce(port: port + busDistance) != nil { return port }
        }
        return nil
    }

    private static let busDistance: UInt16 = 10_000

    private static func listenOnce(port: UInt16) -> UInt16? {
        guard let address = SocketAddress(numericHost: "127.0.0.1", port: port),
            let (listener, number) = try? Socket.listen(on: address)
        else { return nil }
        Socket.close(listener)
        return number
    }
}
