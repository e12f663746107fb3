/// The cuts of a byte stream into pieces.
enum Cut: Equatable {
    case whole
    case every(Int)
    /// One cut, at this offset from the beginning.
    case at(Int)
}

struct Cutter {
    var cut: Cut
    private(set) var position = 0

    init(_ cut: Cut) {
        self.cut = cut
    }

    mutating func pieces(_ bytes: [UInt8]) -> [[UInt8]] {
        defer { position += bytes.count }
        switch cut {
        case .whole: return bytes.isEmpty ? [] : [bytes]
        case .every(let size):
            return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
        case .at(let offset):
            let place = offset - position
            guard place > 0, place < bytes.count else { return bytes.isEmpty ? [] : [bytes] }
            return [Array(bytes[..<place]), Array(bytes[place...])]
        }
    }
}

/// The observable results of an exchange.
struct Report: Equatable {
    var requests: [OracleServer.Request]
    var outcomes: [UInt32: Outcome]
    var goAwaysSeen: [UInt32]
    var goAwaysSent: [UInt32]
    var pings: [Int]
    var complaints: [String]
}

/// A client and a server that exchange bytes in memory.
final class Exchange {
    let client: any Client
    let server: OracleServer
    private var toClient: Cutter
    private var toServer: Cutter
    private var pending: [RequestPlan] = []
    private var nextTag: UInt32 = 0
    /// All bytes that the client has sent.
    private(set) var clientBytes: [UInt8] = []
    var receivedCount: Int { toClient.position }

    init(_ client: any Client, _ server: OracleServer, _ cut: Cut) {
        self.client = client
        self.server = server
        toClient = Cutter(cut)
        toServer = Cutter(cut)
    }

    /// Opens a request. Tags count from 0.
    func open(_ kind: Int = 0, token: [UInt8] = [0xDE, 0xAD, 0xBE, 0xEF]) {
        pending.append(RequestPlan(kind: kind, token: token, tag: nextTag))
        nextTag += 1
        openPending()
    }

    private func openPending() {
        while let plan = pending.first, client.open(plan) { pending.removeFirst() }
    }

    /// Exchanges bytes until neither side sends any.
    func settle() {
        while true {
            openPending()
            let up = takeClientOutput()
            for piece in toServer.pieces(up) { server.receive(piece) }
            let down = server.output()
            feed(down)
            if up.isEmpty, down.isEmpty { return }
        }
    }

    private func takeClientOutput() -> [UInt8] {
        var size = Int.max
        if case .every(let count) = toServer.cut { size = count }
        var all: [UInt8] = []
        while true {
            let bytes = client.takeOutput(size)
            if bytes.isEmpty { break }
            all += bytes
        }
        clientBytes += all
        return all
    }

    /// Passes bytes to the client in pieces.
    func feed(_ bytes: [UInt8]) {
        for piece in toClient.pieces(bytes) { client.receive(piece) }
    }

    var report: Report {
        Report(
            requests: server.requests, outcomes: client.outcomes, goAwaysSeen: client.goAways,
            goAwaysSent: WireFrame.goAways(clientBytes), pings: [client.pingsAcknowledged, server.pingsAcknowledged],
            complaints: server.complaints + client.violations)
    }
}
