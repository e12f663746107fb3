import Foundation

/// A phone's side of the gateway: reports its tokens and Live Activities, follows topics, and keeps all that over
/// relaunches and lost networks. One for the whole app; make it and call `start` at every launch, before anything is
/// awaited.
public actor FanfareDevice {
    nonisolated let configuration: FanfareConfiguration
    private let system: any LiveActivitySystem
    private let storage: any SnapshotStorage
    private let transport: any GatewayTransport
    let clock: any DeviceClock

    var machine: DeviceMachine
    private var kept: DeviceMachine?
    private var storageState = DeviceStatus.Storage.kept
    private var signatures: [DeviceIdentity: String] = [:]
    private var isStarted = false
    private var isStopped = false
    private var reader: Task<Void, Never>?
    private var alarm: Task<Void, Never>?
    private var sending: Task<Void, Never>?
    private var isSigned = false
    private var published: DeviceStatus?
    private var watchers: [UUID: AsyncStream<DeviceStatus>.Continuation] = [:]
    var waiters = Waiters()

    /// Reads what was kept. Nothing is sent before `start`.
    /// - Parameters:
    ///   - configuration: where the gateway is.
    ///   - system: what shows Live Activities: on a phone an `ActivityKitSystem`.
    ///   - storage: where what is known is kept.
    ///   - transport: how requests reach the gateway.
    ///   - clock: time and chance.
    public init(
        _ configuration: FanfareConfiguration, system: any LiveActivitySystem, storage: any SnapshotStorage,
        transport: any GatewayTransport = URLSessionTransport(), clock: any DeviceClock = SystemDeviceClock()
    ) {
        self.configuration = configuration
        self.system = system
        self.storage = storage
        self.transport = transport
        self.clock = clock
        machine = DeviceMachine()
        do {
            if let data = try storage.load() {
                if let restored = Snapshot.machine(in: data) {
                    (machine, kept) = (restored, restored)
                } else {
                    storage.setAside()
                    storageState = .setAside
                }
            }
        } catch {
            storageState = .unavailable
        }
        machine.settings = .init(retry: configuration.retry, staleAfter: configuration.staleAfter)
        kept?.settings = machine.settings
    }

    /// Begins to observe the system and to report. A second call does nothing.
    public func start() {
        guard !isStarted, !isStopped else { return }
        isStarted = true
        machine.launched(at: clock.now())
        let events = system.events
        reader = Task { [weak self] in
            for await event in events { await self?.change { $0.happened(event, at: $1) } }
        }
        proceed()
    }

    /// Stops observing, reporting and keeping, for good. What waits is kept for the next launch.
    public func stop() {
        isStopped = true
        [reader, alarm, sending].forEach { $0?.cancel() }
        waiters.resumeTaps(.queued)
        waiters.resumeListings(false)
        waiters.resumeFlushes(false)
        for watcher in watchers.values { watcher.finish() }
        watchers = [:]
    }

    private func keep() {
        // A file that could not be read is left for a launch that can.
        guard machine != kept, storageState != .unavailable || kept != nil else { return }
        do {
            try storage.save(Snapshot.data(of: machine))
            kept = machine
            if storageState == .unavailable { storageState = .kept }
        } catch {
            kept = kept ?? DeviceMachine()
            storageState = .unavailable
        }
    }

    // MARK: What happens

    /// Carries out a change, keeps it, and does what follows from it.
    @discardableResult
    func change<Value>(_ body: (inout DeviceMachine, Moment) -> Value) -> Value {
        let value = body(&machine, clock.now())
        proceed()
        return value
    }

    private func proceed() {
        guard !isStopped else { return }
        for action in machine.takeActions() { carryOut(action) }
        guard isStarted else { return keep() }
        if let next = machine.nextSending(at: clock.now()) {
            // Kept before it is sent, so that a killed app knows what may have arrived.
            keep()
            send(next)
        } else {
            keep()
        }
        setAlarm()
        publish()
        if machine.queue.waiting.isEmpty { waiters.resumeFlushes(true) }
    }

    private func carryOut(_ action: DeviceMachine.Action) {
        switch action {
        case .end(let systemID, let type):
            Task { [system] in await system.end(systemID: systemID, activityType: type) }
        case .takeInventory: Task { [system] in await system.takeInventory() }
        case .renewSignature(let identity): signatures[identity] = nil
        case .tapAnswered(let tapID, let outcome): waiters.resume(.tap(tapID), .tap(outcome))
        case .listed(let isListed): waiters.resumeListings(isListed)
        }
    }

    private func setAlarm() {
        alarm?.cancel()
        alarm = nil
        guard let pause = machine.pause(at: clock.now()) else { return }
        alarm = Task { [weak self, clock] in
            // A little late rather than a little early.
            guard (try? await clock.sleep(seconds: pause + 0.005)) != nil else { return }
            await self?.change { $0.passed(at: $1) }
        }
    }

    // MARK: Requests

    private func send(_ next: DeviceMachine.Sending) {
        isSigned = false
        let deadline = configuration.requestTimeout + 10
        sending = Task { [weak self, clock] in
            let limit = Task { [weak self] in
                guard (try? await clock.sleep(seconds: deadline)) != nil else { return }
                await self?.ranOut(next.id)
            }
            let answer = await self?.answer(to: next.request)
            limit.cancel()
            guard let answer, !Task.isCancelled else { return }
            await self?.ended(next.id, answer)
        }
    }

    private func answer(to request: GatewayRequest) async -> GatewayAnswer {
        var signature: String?
        if let sign = configuration.identitySignature {
            do {
                signature = try await signatures[request.identity].orElse { try await sign(request.identity) }
            } catch {
                return .unsigned
            }
            guard let signature, signature.isHeaderValue else { return .unsigned }
            if signatures.count >= 8 { signatures = [:] }
            signatures[request.identity] = signature
        }
        guard !Task.isCancelled, let call = configuration.call(request, signature: signature) else { return .notSent }
        isSigned = true
        return await transport.send(call)
    }

    private func ranOut(_ id: UInt64) {
        sending?.cancel()
        ended(id, isSigned ? .unanswered : .unsigned)
    }

    private func ended(_ id: UInt64, _ answer: GatewayAnswer) {
        guard !isStopped else { return }
        let draw = clock.draw()
        change { $0.answered(id, answer, at: $1, draw: draw) }
    }

    // MARK: Status

    /// How things stand.
    public var status: DeviceStatus {
        DeviceStatus(
            delivery: machine.deliveryState(at: clock.now()), waiting: machine.queue.waiting.count,
            refusals: machine.queue.refusals, allowsActivities: machine.allowsActivities, storage: storageState)
    }

    /// How things stand now, and whenever that changes; of changes that are not read only the last is kept. It ends
    /// with `stop`, or with its reader's task.
    public func statuses() -> AsyncStream<DeviceStatus> {
        let (stream, continuation) = AsyncStream.makeStream(of: DeviceStatus.self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        continuation.onTermination = { [weak self] _ in Task { await self?.unwatch(id) } }
        watchers[id] = continuation
        continuation.yield(status)
        return stream
    }

    private func unwatch(_ id: UUID) { watchers[id] = nil }

    private func publish() {
        guard !watchers.isEmpty else { return }
        let now = status
        guard now != published else { return }
        published = now
        for watcher in watchers.values { watcher.yield(now) }
    }
}

extension Optional where Wrapped: Sendable {
    /// The value, or what is got in its place.
    fileprivate func orElse(_ other: @Sendable () async throws -> Wrapped) async rethrows -> Wrapped {
        if let self { return self }
        return try await other()
    }
}
