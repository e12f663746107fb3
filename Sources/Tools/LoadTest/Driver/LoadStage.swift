import NIOCore
import NIOPosix
import TimeCore

/// An event loop with connections to a gateway, which runs the steps of a load test in sequence.
struct LoadStage: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let eventLoop: any EventLoop
    private let connections: NIOLoopBound<ConnectionSet>
    private let control: LoadControl

    /// Opens the connections before any clock runs. Throws if an attempt fails before any connection is open.
    static func with<Result: Sendable>(
        _ endpoint: GatewayEndpoint, connections: Int, control: LoadControl,
        _ body: (LoadStage) async throws -> Result
    ) async throws -> Result {
        // One thread sends more requests than a gateway answers, and leaves the other cores to the gateway.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let result: Swift.Result<Result, any Error>
        do {
            let stage = try await LoadStage(group, endpoint, connections, control)
            do {
                result = .success(try await body(stage))
            } catch {
                result = .failure(error)
            }
            try? await stage.close()
        } catch {
            result = .failure(error)
        }
        try? await group.shutdownGracefully()
        return try result.get()
    }

    private init(
        _ group: MultiThreadedEventLoopGroup, _ endpoint: GatewayEndpoint, _ count: Int, _ control: LoadControl
    ) async throws {
        let eventLoop = group.next()
        self.group = group
        self.eventLoop = eventLoop
        self.control = control
        connections = try await eventLoop.flatSubmit {
            let set = ConnectionSet(endpoint, maximum: count, eventLoop: eventLoop)
            let bound = NIOLoopBound(set, eventLoop: eventLoop)
            return ConnectionOpening(set, eventLoop: eventLoop).begin().map { bound }
        }.get()
    }

    private func close() async throws {
        let connections = connections
        try await eventLoop.submit { connections.value.close() }.get()
    }

    /// Runs a step to its end.
    func run<Player: CallPlayer & Sendable>(
        _ name: String, _ player: Player, pace: Pacer.Pace, limits: LoadRun<Player>.Limits
    ) async throws -> (phase: LoadReport.Phase, player: Player) {
        let (eventLoop, connections, control) = (eventLoop, connections, control)
        let before = ProcessorTime.now()
        var (phase, player) = try await eventLoop.flatSubmit {
            let run = LoadRun(
                player, pace: pace, limits: limits, connections: connections.value, control: control,
                eventLoop: eventLoop)
            return run.begin().assumeIsolated().map { () -> (LoadReport.Phase, Player) in
                var phase = LoadReport.Phase(name, run.statistics, run.pacer.punctuality)
                phase.seconds = (run.end - run.start).inSeconds
                phase.inFlight = limits.inFlight
                phase.isBrokenOff = run.isBrokenOff
                phase.notes = run.notes
                return (phase, run.player)
            }.nonisolated()
        }.get()
        if case .open = pace { phase.isByTheClock = true }
        phase.processorSeconds = ProcessorTime.now() - before
        return (phase, player)
    }
}

/// Opens all connections of a set. Fails if an attempt fails before any connection is open.
private final class ConnectionOpening: ConnectionSetOwner {
    private let set: ConnectionSet
    private let promise: EventLoopPromise<Void>
    private var missing: Int

    init(_ set: ConnectionSet, eventLoop: any EventLoop) {
        self.set = set
        promise = eventLoop.makePromise()
        missing = set.maximum
    }

    func begin() -> EventLoopFuture<Void> {
        set.owner = self
        openMore()
        return promise.futureResult
    }

    /// Opens a few connections at a time, so that the gateway's listen queue does not overflow.
    private func openMore() {
        set.open(min(missing, 64 - set.opening))
    }

    func connectionFree() { attempted(failure: nil) }

    func connectionFailed(_ reason: String) { attempted(failure: reason) }

    private func attempted(failure: String?) {
        missing -= 1
        if set.all.isEmpty, let failure {
            set.close()
            promise.fail(LoadTestError("the gateway cannot be reached: \(failure)"))
        } else if missing > 0 {
            openMore()
        } else if missing == 0 {
            promise.succeed()
        }
    }

    func callEnded(_ call: LoadConnection.Call, _ outcome: CallOutcome) {}
}
