import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import TimeCore

/// Receives the events of a connection set. Called on the event loop.
protocol ConnectionSetOwner: AnyObject {
    /// A connection is free, or there is room for another.
    func connectionFree()
    func connectionFailed(_ reason: String)
    func callEnded(_ call: LoadConnection.Call, _ outcome: CallOutcome)
}

/// A bounded set of keep-alive connections to a gateway. Confined to one event loop.
final class ConnectionSet: LoadConnectionOwner {
    let maximum: Int
    /// Released by `close`.
    var owner: (any ConnectionSetOwner)?
    private(set) var all: [LoadConnection] = []
    private(set) var opening = 0
    private var free: [LoadConnection] = []
    private let endpoint: GatewayEndpoint
    private let eventLoop: any EventLoop
    private var isClosed = false

    static let connectTimeout = TimeAmount.seconds(10)

    init(_ endpoint: GatewayEndpoint, maximum: Int, eventLoop: any EventLoop) {
        self.endpoint = endpoint
        self.maximum = maximum
        self.eventLoop = eventLoop
    }

    /// A connection that is ready for a call. It stays free until a call is sent on it.
    var firstFree: LoadConnection? {
        while let connection = free.last {
            if connection.isReady { return connection }
            free.removeLast()
        }
        return nil
    }

    /// The number of connections that may still be opened.
    var room: Int { isClosed ? 0 : maximum - all.count - opening }

    /// Sends the prepared request of the connection that `firstFree` returned.
    func send(_ call: LoadConnection.Call, on connection: LoadConnection) {
        precondition(free.last === connection, "a call was put on a connection that is not the first free one")
        free.removeLast()
        connection.send(call)
    }

    /// Begins to open connections within the available room. Reports each to the owner.
    func open(_ count: Int) {
        for _ in 0..<min(count, room) {
            opening += 1
            endpoint.connect(on: eventLoop, owner: self) { [weak self] reason in
                guard let self else { return }
                opening -= 1
                owner?.connectionFailed(reason)
            }
        }
    }

    /// Times out the calls that were sent before this time.
    func giveUp(sentBefore time: MonotonicTime) {
        for connection in all {
            if let call = connection.call, call.sent < time { connection.giveUp(.timedOut) }
        }
    }

    func close() {
        isClosed = true
        owner = nil
        for connection in all { connection.close() }
    }

    // MARK: Connections

    func connectionReady(_ connection: LoadConnection) {
        opening -= 1
        connection.place = all.count
        all.append(connection)
        guard !isClosed else { return connection.close() }
        free.append(connection)
        owner?.connectionFree()
    }

    func connectionAnswered(_ connection: LoadConnection, _ call: LoadConnection.Call, _ outcome: CallOutcome) {
        if connection.isReady { free.append(connection) }
        owner?.callEnded(call, outcome)
    }

    func connectionClosed(_ connection: LoadConnection, _ reason: String) {
        guard connection.place < all.count, all[connection.place] === connection else {
            // The connection ended before it was ready.
            opening -= 1
            owner?.connectionFailed(reason)
            return
        }
        let last = all.removeLast()
        if last !== connection {
            all[connection.place] = last
            last.place = connection.place
        }
        owner?.connectionFree()
    }
}
