import CLinux
import Glibc
public import TimeCore

/// Writes lines to a descriptor in order, on its own thread and many in one call. Callers do not wait for disks or
/// pipes. Lines that exceed the capacity are dropped, and a separate line reports their number.
///
/// Guarded by the mutex.
public final class LogWriter: @unchecked Sendable {
    /// The urgency of a line.
    public enum Urgency: Sendable {
        /// Written together with others, within the writer's delay.
        case delayed
        /// Written without a delay.
        case prompt
        /// Written before the call returns, unless the descriptor is blocked, because the process may be about to end.
        case awaited
    }

    /// The maximum size of pending lines, in bytes.
    public static let capacity = 1 << 20
    /// The time for which a line waits for others.
    public static let delay = TimeInterval.milliseconds(50)
    /// The maximum time for which an awaited line blocks its caller.
    static let longestWait = TimeInterval.milliseconds(50)
    /// The time after a failed wait during which no line is awaited, and the pause after a failed write.
    static let pause = TimeInterval.milliseconds(500)
    /// The pending size in bytes that is written without delay, while it is still in the processor's caches.
    static let batch = 1 << 16
    /// The buffer size in bytes above which memory is freed after a write.
    private static let kept = 4 * batch

    private let descriptor: Int32
    private let capacity: Int
    private let delay: TimeInterval
    private let note: @Sendable (Int) -> [UInt8]
    /// The maximum size of a write in bytes. A pipe accepts that much atomically, which keeps lines of several
    /// processes apart.
    private let piece: Int

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    /// Signals work to the thread.
    private let called = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    /// Signals the end of a write.
    private let settled = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    private var pending: [UInt8] = []
    private var dropped = 0
    /// The number of accepted lines, and of written ones.
    private var taken = 0
    private var written = 0
    private var isIdle = false
    private var isHurried = false
    private var isFailing = false
    private var isEnding = false
    private var hasEnded = false
    private var nothingAwaitedUntil: MonotonicTime?

    /// - Parameters:
    ///   - descriptor: Standard error by default. It stays open.
    ///   - note: Returns the line that reports the number of dropped lines.
    public init(
        descriptor: Int32 = 2, capacity: Int = LogWriter.capacity, delay: TimeInterval = LogWriter.delay,
        note: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.descriptor = descriptor
        self.capacity = capacity
        self.delay = delay
        self.note = note
        // Descriptors without a position are pipes, sockets and terminals.
        piece = lseek(descriptor, 0, SEEK_CUR) < 0 ? Int(PIPE_BUF) : .max
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        for condition in [called, settled] {
            condition.initialize(to: pthread_cond_t())
            pthread_cond_init(condition, &attributes)
        }
        pthread_condattr_destroy(&attributes)
        hasEnded = !startThread()
    }

    deinit {
        for condition in [called, settled] {
            pthread_cond_destroy(condition)
            condition.deallocate()
        }
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Accepts a line, which ends with a line feed. From any thread.
    public func write(_ line: [UInt8], _ urgency: Urgency = .delayed) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        // Lines after a dropped one must not overtake the report of it.
        guard dropped == 0, line.count <= capacity - pending.count, !isEnding, !hasEnded else {
            dropped += 1
            return call(hurried: false)
        }
        pending += line
        taken += 1
        call(hurried: urgency != .delayed || pending.count >= LogWriter.batch)
        guard urgency == .awaited else { return }
        let now = MonotonicTime.now()
        if isFailing || (nothingAwaitedUntil.map { now < $0 } ?? false) { return }
        if !waitUntilWritten(taken, now + LogWriter.longestWait) {
            nothingAwaitedUntil = MonotonicTime.now() + LogWriter.pause
        }
    }

    /// Waits until all accepted lines are written. Returns false on failure or timeout.
    @discardableResult
    public func flush(within limit: TimeInterval = .seconds(1)) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard !hasEnded else { return written == taken && dropped == 0 }
        if written == taken, dropped == 0 { return true }
        call(hurried: true)
        return waitUntilWritten(taken, MonotonicTime.now() + limit)
    }

    /// Stops accepting lines, writes pending ones as far as possible, and ends the thread.
    public func close(within limit: TimeInterval = .seconds(1)) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        isEnding = true
        pthread_cond_signal(called)
        let end = MonotonicTime.now() + limit
        while !hasEnded, wait(settled, until: end) {}
    }

    // MARK: With the mutex

    private func call(hurried: Bool) {
        if hurried { isHurried = true }
        if isIdle || hurried { pthread_cond_signal(called) }
    }

    private func waitUntilWritten(_ count: Int, _ end: MonotonicTime) -> Bool {
        while written < count {
            guard !isFailing, !hasEnded, wait(settled, until: end) else { return written >= count }
        }
        return true
    }

    /// Returns false at `end`.
    private func wait(_ condition: UnsafeMutablePointer<pthread_cond_t>, until end: MonotonicTime) -> Bool {
        let nanoseconds = end.nanoseconds
        var time = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        return pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT
    }

    // MARK: The thread

    private func startThread() -> Bool {
        var thread = pthread_t()
        let start = Unmanaged.passRetained(self)
        // Other threads handle signals, and the result of a write shows that the reader is gone.
        var all = sigset_t()
        var former = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        let status = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                fanfare_name_thread("log")
                Unmanaged<LogWriter>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, start.toOpaque())
        guard status == 0 else {
            start.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private func run() {
        var lines: [UInt8] = []
        pthread_mutex_lock(mutex)
        while takeLines(&lines) {
            let end = taken
            pthread_mutex_unlock(mutex)
            put(lines)
            if lines.capacity > LogWriter.kept {
                lines = []
            } else {
                lines.removeAll(keepingCapacity: true)
            }
            pthread_mutex_lock(mutex)
            written = end
            pthread_cond_broadcast(settled)
        }
        hasEnded = true
        pthread_cond_broadcast(settled)
        pthread_mutex_unlock(mutex)
    }

    /// Waits for lines and for those that may follow, with the mutex held. Returns false at the writer's end.
    private func takeLines(_ lines: inout [UInt8]) -> Bool {
        isIdle = true
        while pending.isEmpty, dropped == 0, !isEnding { pthread_cond_wait(called, mutex) }
        isIdle = false
        let end = MonotonicTime.now() + delay
        while !isHurried, !isEnding, wait(called, until: end) {}
        isHurried = false
        guard !pending.isEmpty || dropped > 0 else { return false }
        swap(&lines, &pending)
        if dropped > 0 {
            lines += note(dropped)
            dropped = 0
        }
        return true
    }

    /// Writes all bytes; stops early only if the writer ends. After a partial write it continues at the next byte.
    private func put(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let next = LogWriter.firstPiece(rest, piece)
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, next)
                if count > 0 {
                    rest = rest.dropFirst(count)
                    noteFailing(false)
                } else if count < 0, errno == EINTR {
                    continue
                } else if count < 0, errno == EAGAIN {
                    var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = Glibc.poll(&poll, 1, Int32(LogWriter.pause.nanoseconds / 1_000_000))
                    if isToEnd() { return }
                } else if pauseAfterFailure() {
                    return
                }
            }
        }
    }

    /// Returns the size of the next write: as many whole lines as fit, or one long line.
    private static func firstPiece(_ bytes: Slice<UnsafeRawBufferPointer>, _ limit: Int) -> Int {
        guard bytes.count > limit else { return bytes.count }
        let lineFeed = UInt8(ascii: "\n")
        if let end = bytes.prefix(limit).lastIndex(of: lineFeed) { return end + 1 - bytes.startIndex }
        return (bytes.firstIndex(of: lineFeed) ?? bytes.endIndex - 1) + 1 - bytes.startIndex
    }

    private func noteFailing(_ failing: Bool) {
        pthread_mutex_lock(mutex)
        isFailing = failing
        pthread_mutex_unlock(mutex)
    }

    private func isToEnd() -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return isEnding
    }

    /// Pauses, and returns true if the writer ends and must not retry.
    private func pauseAfterFailure() -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        isFailing = true
        pthread_cond_broadcast(settled)
        let end = MonotonicTime.now() + LogWriter.pause
        while !isEnding, wait(called, until: end) {}
        return isEnding
    }
}
