import CLinux
import Glibc
public import TimeCore

/// One thread that waits for descriptors, timers and jobs, and runs what belongs to them one after another.
///
/// What is confined to a reactor is touched by that thread only and needs no lock. `execute` and `stop` may be called
/// from any thread; everything else is confined to the reactor, which debug builds check.
///
/// A turn is: descriptor events, then jobs from other threads, then due timers, then what asked to be called at the
/// end of the turn. Whoever has output to send gathers it during the turn and sends it once at its end.
public final class Reactor: @unchecked Sendable {
    /// What is run on the reactor's thread.
    public typealias Job = () -> Void

    /// What the thread is called.
    public let name: String

    private let epoll: Int32
    private let wakeup: Int32
    private let mailbox = Locked(Mailbox())
    private let thread = Locked(Thread())

    // Touched by the reactor's thread only.
    private var descriptors = DescriptorTable()
    private var timers = TimerHeap()
    private var endOfTurn: [any TurnParticipant] = []
    private var isRunning = true

    /// When this turn began. Reading it costs nothing; it may lag behind the clock by the length of the turn.
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

    /// Starts the thread. Throws when the kernel refuses a descriptor or a thread.
    public init(name: String) throws(SystemError) {
        self.name = name
        epoll = fanfare_epoll_create()
        guard epoll >= 0 else { throw SystemError.last("epoll_create1") }
        wakeup = fanfare_eventfd()
        // From here on everything is initialized, so a throw runs `deinit`, which closes both.
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

    /// Runs `job` on the reactor's thread, after all jobs given before. Dropped when the reactor has stopped; the
    /// return value says whether it was taken.
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

    /// Whether the caller runs on the reactor's thread.
    public var isOnReactor: Bool {
        thread.withLock { $0.identifier.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    /// Takes no more jobs, runs those taken before, ends the thread and waits for it (unless called on it).
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
        // The counter cannot overflow in practice, and if the write fails the descriptor is readable already.
        _ = write(wakeup, &one, 8)
    }

    // MARK: On the reactor's thread

    /// Calls `handler` when `descriptor` is ready for what `interest` names. The caller keeps owning the descriptor
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

    /// Changes what a watched descriptor is watched for.
    public func rewatch(_ watch: Watch, _ interest: Interest) throws(SystemError) {
        guard let descriptor = descriptors.descriptor(of: watch) else { return }
        guard fanfare_epoll_modify(epoll, descriptor, interest.events, watch.data) == 0 else {
            throw SystemError.last("epoll_ctl")
        }
    }

    /// Events that are already under way for this watch are dropped.
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

    /// A timer that has fired or was cancelled is passed over.
    public func cancel(_ timer: ReactorTimer) {
        assert(isOnReactor)
        timers.remove(timer)
    }

    /// Calls `participant.turnEnded()` once at the end of this turn. Whoever asks twice is called twice, so keep a
    /// flag.
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
            // The process may have been asleep: a deadline is not missed by what has come in time and was not read.
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
        // What is watched or scheduled mostly refers back to this reactor; without this neither would ever be freed.
        // It is let go behind that, for whoever is freed then may unwatch or cancel something.
        let (watched, scheduled, participants) = (descriptors, timers, endOfTurn)
        descriptors = DescriptorTable()
        timers = TimerHeap()
        endOfTurn = []
        withExtendedLifetime((watched, scheduled, participants)) {}
        thread.withLock { $0.identifier = nil }
    }

    /// A function of its own, so that what the jobs hold is let go before the reactor sleeps again.
    private func runJobs() {
        let jobs = mailbox.withLock { box in
            let jobs = box.jobs
            box.jobs = []
            return jobs
        }
        for job in jobs { job() }
    }

    /// Those that are due now; what they schedule in their turn, even for now, waits for the next turn.
    private func runDueTimers() {
        for timer in timers.popDue(now) {
            if let action = timers.takeAction(timer) { action() }
        }
    }

    private func timeout() -> Int32 {
        guard let next = timers.nextDeadline else { return -1 }
        return Int32(clamping: (next - MonotonicTime.now()).millisecondsRoundedUp)
    }

    /// So often at most descriptors are asked once more before timers that are late fire.
    private static let mostRounds = 8
    /// A timer that is so late tells of a process that was held up.
    private static let lateness = TimeInterval.milliseconds(100)

    /// Whether the next timer should have fired long ago.
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
        // A participant may ask again while it is called; the bound keeps a quarrelling pair from starving the rest.
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
