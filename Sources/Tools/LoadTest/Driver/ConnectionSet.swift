import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import TimeCore

/// Hears what becomes of the calls. All on the event loop.
protocol ConnectionSetOwner: AnyObject {
    /// A connection is free, or there is room for another.
    func connectionFree()
    /// A connection could not be made.
    func connectionFailed(_ reason: String)
    func callEnded(_ call: LoadConnection.Call, _ outcome: CallOutcome)
}

/// The keep-alive connections to a gateway, no more than allowed. Lives on one event loop; nothing of it may be touched
/// elsewhere.
final class ConnectionSet: LoadConnectionOwner {
    let maximum: Int
    /// Let go by `close`.
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

    /// A connection that can take a call. It stays free until a call is sent on it.
    var firstFree: LoadConnection? {
        while let connection = free.last {
            if connection.isReady { return connection }
            free.removeLast()
        }
        return nil
    }

    /// How many more may be opened.
    var room: Int { isClosed ? 0 : maximum - all.count - opening }

    /// Sends the request of the connection that `firstFree` gave.
    func send(_ call: LoadConnection.Call, on connection: LoadConnection) {
        precondition(free.last === connection, "a call was put on a connection that is not the first free one")
        free.removeLast()
        connection.send(call)
    }

    /// Begins to open connections, no more than there is room for. The owner hears of each.
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

    /// Ends the calls that were sent before this without an answer.
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
            // It ended before it was ready.
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
