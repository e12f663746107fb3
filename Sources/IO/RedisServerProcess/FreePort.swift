import Reactor

/// Ports of 127.0.0.1 that nobody listens on at the moment.
enum FreePort {
    static func find() -> UInt16? {
        listenOnce(port: 0)
    }

    /// A port for a node of a cluster, whose nodes speak to each other on the port 10,000 higher. Both lie below the
    /// ports that the system gives to outgoing connections.
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
