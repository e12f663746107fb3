import CLinux
import Glibc
public import TimeCore

/// Writes lines to a descriptor, in their order, on a thread of its own: many in one call, so a line costs little, and
/// whoever logs waits for no disk and no pipe. What finds no room while the descriptor is slow or takes nothing is
/// dropped, and counted in a line of its own.
///
/// Guarded by the mutex.
public final class LogWriter: @unchecked Sendable {
    /// How soon a line is to be written.
    public enum Urgency: Sendable {
        /// Together with others, within the writer's delay.
        case delayed
        /// Without a delay.
        case prompt
        /// Before the call returns, unless the descriptor takes nothing: the process may be about to end.
        case awaited
    }

    /// How much may wait to be written, in bytes.
    public static let capacity = 1 << 20
    /// For how long a line waits for others.
    public static let delay = TimeInterval.milliseconds(50)
    /// For how long an awaited line holds its caller up at most.
    static let longestWait = TimeInterval.milliseconds(50)
    /// For how long nothing is awaited after that was in vain, and how long a descriptor that fails is left alone.
    static let pause = TimeInterval.milliseconds(500)
    /// With so many bytes they wait no longer: what is still in the processor's caches costs less to write.
    static let batch = 1 << 16
    /// Memory beyond that goes back when its lines are written.
    private static let kept = 4 * batch

    private let descriptor: Int32
    private let capacity: Int
    private let delay: TimeInterval
    private let note: @Sendable (Int) -> [UInt8]
    /// Up to so many bytes at a time, where that keeps lines of several processes apart: what a pipe takes as one
    /// piece.
    private let piece: Int

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    /// There is something to do for the thread.
    private let called = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    /// Something was written, or could not be.
    private let settled = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    private var pending: [UInt8] = []
    private var dropped = 0
    /// Lines taken, and those of them that are written.
    private var taken = 0
    private var written = 0
    private var isIdle = false
    private var isHurried = false
    private var isFailing = false
    private var isEnding = false
    private var hasEnded = false
    private var nothingAwaitedUntil: MonotonicTime?

    /// - Parameters:
    ///   - descriptor: standard error, unless another is given. It stays open.
    ///   - note: gives the line that says how many were dropped.
    public init(
        descriptor: Int32 = 2, capacity: Int = LogWriter.capacity, delay: TimeInterval = LogWriter.delay,
        note: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.descriptor = descriptor
        self.capacity = capacity
        self.delay = delay
        self.note = note
        // What has no position is a pipe, a socket or a terminal.
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

    /// Takes a line, which ends with a line feed. From any thread.
    public func write(_ line: [UInt8], _ urgency: Urgency = .delayed) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        // What comes behind a line that is dropped must not overtake the line that says so.
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

    /// Returns when what was taken is written; false when that could not be, or not in time.
    @discardableResult
    public func flush(within limit: TimeInterval = .seconds(1)) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard !hasEnded else { return written == taken && dropped == 0 }
        if written == taken, dropped == 0 { return true }
        call(hurried: true)
        return waitUntilWritten(taken, MonotonicTime.now() + limit)
    }

    /// Writes what was taken as far as the descriptor takes it, and takes no more. The thread ends.
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

    /// False when it is `end`.
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
        // Signals are other threads' business, and that a reader is gone is seen by the write's result.
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

    /// Waits for lines and for those that may come behind them, with the mutex. False when there are none and will be
    /// none.
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

    /// Writes all of it; gives up only when the writer ends. A line that was written in part goes on where that ended.
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

    /// How much is written at once: as many whole lines as fit, or a long line alone.
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

    /// Whether the writer ends, so that nothing is to be tried again.
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
