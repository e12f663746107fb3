import CLinux
import Glibc
public import TimeCore

/// One thread that waits for descriptors, timers and jobs, and runs their handlers one after another.
///
/// Only this thread uses what is confined to the reactor, so no lock is needed. `execute` and `stop` may be called from
/// any thread. Everything else is confined to the reactor, which debug builds check.
///
/// A turn is: descriptor events, then jobs from other threads, then due timers, then participants of the turn's end.
/// Participants collect output during the turn and send it together at its end.
public final class Reactor: @unchecked Sendable {
    /// A closure that runs on the reactor's thread.
    public typealias Job = () -> Void

    /// The name of the thread.
    public let name: String

    private let epoll: Int32
    private let wakeup: Int32
    private let mailbox = Locked(Mailbox())
    private let thread = Locked(Thread())

    // Used by the reactor's thread only.
    private var descriptors = DescriptorTable()
    private var timers = TimerHeap()
    private var endOfTurn: [any TurnParticipant] = []
    private var isRunning = true

    /// The beginning of this turn. Reading it is free; it may lag behind the clock by the length of the turn.
    public private(set) var now = MonotonicTime.now()

    private struct Thread {
        /// Nil before the thread has started and after it has ended.
        var identifier: pthread_t?
        var isStopping = false
    }

    private struct Mailbox {
        var jobs: [@Sendable () -> Void] = []
        var isClosed = false
    }

    /// Starts the thread. Throws if the kernel refuses a descriptor or a thread.
    public init(name: String) throws(SystemError) {
        self.name = name
        epoll = fanfare_epoll_create()
        guard epoll >= 0 else { throw SystemError.last("epoll_create1") }
        wakeup = fanfare_eventfd()
        // All properties are initialized here, so a throw runs `deinit`, which closes both descriptors.
        guard wakeup >= 0 else { throw SystemError.last("eventfd") }
        guard fanfare_epoll_add(epoll, wakeup, fanfare_epoll_in, DescriptorTable.wakeupData) == 0 else {
            throw SystemError.last("epoll_ctl")
        }
        try startThread()
    }

    deinit {
        if wakeup >= 0 { close(wakeup) }
        close(epoll)
    }

    // MARK: From any thread

    /// Runs `job` on the reactor's thread, after all earlier jobs. Returns false and drops the job if the reactor has
    /// stopped.
    @discardableResult
    public func execute(_ job: @escaping @Sendable () -> Void) -> Bool {
        let (taken, first) = mailbox.withLock { box -> (Bool, Bool) in
            guard !box.isClosed else { return (false, false) }
            box.jobs.append(job)
            return (true, box.jobs.count == 1)
        }
        if first { wake() }
        return taken
    }

    /// True if the caller runs on the reactor's thread.
    public var isOnReactor: Bool {
        thread.withLock { $0.identifier.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    /// Rejects further jobs, runs earlier ones, and ends the thread. Waits for it, unless called on it.
    public func stop() {
        let running = thread.withLock { value -> pthread_t? in
            defer { value.isStopping = true }
            return value.isStopping ? nil : value.identifier
        }
        guard let running else { return }
        mailbox.withLock { box in
            box.jobs.append { [unowned self] in self.isRunning = false }
            box.isClosed = true
        }
        wake()
        if pthread_equal(running, pthread_self()) == 0 {
            pthread_join(running, nil)
        } else {
            pthread_detach(running)
        }
    }

    private func wake() {
        var one: UInt64 = 1
        // The counter cannot overflow in practice, and after a failed write the descriptor is already readable.
        _ = write(wakeup, &one, 8)
    }

    // MARK: On the reactor's thread

    /// Calls `handler` when `descriptor` is ready for an event in `interest`. The caller keeps owning the descriptor
    /// and calls `unwatch` before closing it.
    public func watch(
        _ descriptor: Int32, _ interest: Interest, _ handler: any DescriptorHandler
    ) throws(SystemError) -> Watch {
        let watch = descriptors.insert(descriptor, handler)
        guard fanfare_epoll_add(epoll, descriptor, interest.events, watch.data) == 0 else {
            let error = SystemError.last("epoll_ctl")
            descriptors.remove(watch)
            throw error
        }
        return watch
    }

    /// Replaces a watched descriptor's interest.
    public func rewatch(_ watch: Watch, _ interest: Interest) throws(SystemError) {
        guard let descriptor = descriptors.descriptor(of: watch) else { return }
        guard fanfare_epoll_modify(epoll, descriptor, interest.events, watch.data) == 0 else {
            throw SystemError.last("epoll_ctl")
        }
    }

    /// Ends a watch and drops its pending events.
    public func unwatch(_ watch: Watch) {
        guard let descriptor = descriptors.descriptor(of: watch) else { return }
        _ = fanfare_epoll_remove(epoll, descriptor)
        descriptors.remove(watch)
    }

    /// Calls `action` once, not before `deadline`.
    @discardableResult
    public func schedule(at deadline: MonotonicTime, _ action: @escaping Job) -> ReactorTimer {
        assert(isOnReactor)
        return timers.insert(deadline, action)
    }

    /// Calls `action` once, after `interval`.
    @discardableResult
    public func schedule(after interval: TimeInterval, _ action: @escaping Job) -> ReactorTimer {
        schedule(at: MonotonicTime.now() + interval, action)
    }

    /// Cancels a timer. A timer that has fired or was cancelled is ignored.
    public func cancel(_ timer: ReactorTimer) {
        assert(isOnReactor)
        timers.remove(timer)
    }

    /// Calls `participant.turnEnded()` at the end of this turn, one time for each request. Keep a flag to avoid
    /// duplicates.
    public func atEndOfTurn(_ participant: any TurnParticipant) {
        assert(isOnReactor)
        endOfTurn.append(participant)
    }

    // MARK: The loop

    private func startThread() throws(SystemError) {
        let start = Unmanaged.passRetained(self)
        var identifier = pthread_t()
        let status = thread.withLock { value -> Int32 in
            let status = pthread_create(
                &identifier, nil,
                { context in
                    guard let context else { return nil }
                    let reactor = Unmanaged<Reactor>.fromOpaque(context).takeRetainedValue()
                    fanfare_name_thread(reactor.name)
                    reactor.run()
                    return nil
                }, start.toOpaque())
            if status == 0 { value.identifier = identifier }
            return status
        }
        guard status == 0 else {
            start.release()
            throw SystemError(call: "pthread_create", number: status)
        }
    }

    private func run() {
        let ready = UnsafeMutablePointer<fanfare_ready>.allocate(capacity: 256)
        defer { ready.deallocate() }
        while isRunning {
            var count = fanfare_epoll_wait(epoll, ready, 256, timeout())
            now = MonotonicTime.now()
            // After a suspension of the process, unread data is delivered first, because it may have arrived in time.
            var rounds = 0
            while rounds < Reactor.mostRounds, count < 0 || isLate {
                if count > 0 { deliver(ready, count) }
                count = fanfare_epoll_wait(epoll, ready, 256, 0)
                rounds += 1
                if count == 0 { break }
            }
            if count > 0 { deliver(ready, count) }
            runJobs()
            runDueTimers()
            finishTurn()
        }
        // Handlers and timers mostly refer to this reactor, so these cycles must be broken here. The objects are freed
        // after the reset, because their deinitializers may unwatch or cancel.
        let (watched, scheduled, participants) = (descriptors, timers, endOfTurn)
        descriptors = DescriptorTable()
        timers = TimerHeap()
        endOfTurn = []
        withExtendedLifetime((watched, scheduled, participants)) {}
        thread.withLock { $0.identifier = nil }
    }

    /// A separate function, so that objects of the jobs are released before the reactor waits again.
    private func runJobs() {
        let jobs = mailbox.withLock { box in
            let jobs = box.jobs
            box.jobs = []
            return jobs
        }
        for job in jobs { job() }
    }

    /// Runs the timers that are due now. Timers that they schedule wait for the next turn.
    private func runDueTimers() {
        for timer in timers.popDue(now) {
            if let action = timers.takeAction(timer) { action() }
        }
    }

    private func timeout() -> Int32 {
        guard let next = timers.nextDeadline else { return -1 }
        return Int32(clamping: (next - MonotonicTime.now()).millisecondsRoundedUp)
    }

    /// The maximum number of extra polls before late timers fire.
    private static let mostRounds = 8
    /// A timer that is this late indicates a suspended process.
    private static let lateness = TimeInterval.milliseconds(100)

    /// True if the next timer is overdue by `lateness`.
    private var isLate: Bool { timers.nextDeadline.map { $0 + Reactor.lateness <= now } ?? false }

    private func deliver(_ ready: UnsafeMutablePointer<fanfare_ready>, _ count: Int32) {
        for index in 0..<Int(count) { deliver(ready[index]) }
    }

    private func deliver(_ event: fanfare_ready) {
        if event.data == DescriptorTable.wakeupData {
            var counter: UInt64 = 0
            _ = read(wakeup, &counter, 8)
            return
        }
        guard let handler = descriptors.handler(of: event.data) else { return }
        handler.descriptorReady(Readiness(events: event.events))
    }

    private func finishTurn() {
        // A participant may ask again while it is called; the bound keeps two of them from starving the rest.
        var rounds = 0
        while !endOfTurn.isEmpty, rounds < 8 {
            let participants = endOfTurn
            endOfTurn.removeAll(keepingCapacity: true)
            for participant in participants { participant.turnEnded() }
            rounds += 1
        }
        if !endOfTurn.isEmpty { wake() }
    }
}
