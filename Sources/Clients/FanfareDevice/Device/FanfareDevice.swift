import Foundation

/// The client of the gateway on a phone. It reports tokens and Live Activities, follows topics, and survives relaunches
/// and network failures. Create one for the whole app and call `start` at every launch, before the first `await`.
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

    /// Loads the stored state. Nothing is sent before `start`.
    /// - Parameters:
    ///   - configuration: The gateway's address and the options.
    ///   - system: The source of Live Activities; on a phone an `ActivityKitSystem`.
    ///   - storage: The storage of the state.
    ///   - transport: The sender of requests.
    ///   - clock: The source of time and random numbers.
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

    /// Starts observing the system and reporting. Further calls do nothing.
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

    /// Permanently stops observing, reporting and storing. Waiting reports remain stored for the next launch.
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
        // A file that could not be read is kept for a later launch that can read it.
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

    // MARK: Changes

    /// Applies a change, stores it, and performs the resulting actions.
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
            // Stored before it is sent, so that a killed app knows which requests may have arrived.
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
            // Waking slightly late avoids waking too early.
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

    /// The present status.
    public var status: DeviceStatus {
        DeviceStatus(
            delivery: machine.deliveryState(at: clock.now()), waiting: machine.queue.waiting.count,
            refusals: machine.queue.refusals, allowsActivities: machine.allowsActivities, storage: storageState)
    }

    /// The present status, followed by each change. A slow reader gets only the latest one. The stream ends with `stop`
    /// or with the reader's task.
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
    /// Returns the value, or the result of the closure.
    fileprivate func orElse(_ other: @Sendable () async throws -> Wrapped) async rethrows -> Wrapped {
        if let self { return self }
        return try await other()
    }
}
