import CHiredis
import CLinux
import Glibc
import MetricsCore
import Reactor
import TimeCore

/// Called on the reactor, never from within the library.
protocol RedisConnectionOwner: AnyObject {
    func connectionOpened(_ connection: RedisConnection)
    /// The server has refused a command because it cannot serve at the moment. Called with the error reply, before the
    /// command fails.
    func connectionRefused(_ connection: RedisConnection, _ message: String)
    /// The connection is gone. Its commands fail when this returns, so that a sender that retries finds the new state.
    func connectionClosed(_ connection: RedisConnection, reason: String)
}

/// One connection: the library's context, its hooks into the reactor, and the commands in flight. Over TLS there is a
/// stream in the context's place, and of the library only its reader.
///
/// Replies come in the order of the commands. So the commands in flight are a ring, and all entries of the library's
/// own list of callbacks are alike. That list always has one entry more than there are commands, because the library
/// aborts the process on a reply without an entry. With the spare entry, an unexpected reply reaches `replied`, which
/// closes the connection.
///
/// The context is freed when no call into the library is on the stack (`enter`, `leave`), or as the last step of a
/// reply's callback. The library does not allow that in its connect callback.
final class RedisConnection: DescriptorHandler, TurnParticipant {
    let reactor: Reactor
    private(set) weak var owner: (any RedisConnectionOwner)?
    let metrics: RedisMetrics

    var context: UnsafeMutablePointer<redisAsyncContext>?
    /// In place of the context, for a connection over TLS.
    var stream: EncryptedStream?
    /// The bound on replies on the context.
    var bound: ReplyBound?
    var watch: Watch?
    var interest: Interest = []
    var calls = Ring<PendingCall>()
    /// The number of last commands in `calls` that have certainly not been written to the socket.
    var unwritten = 0
    /// The time of the last reply; zero before the first one.
    var lastReply = MonotonicTime(nanoseconds: 0)
    var isOpen = false
    var isFlushing = false
    var isFlushRequested = false
    /// The reason for the end of the connection, once it is decided. Replies that come later are dropped.
    var closeReason: String?
    /// Set when the connection takes no more commands and ends with the last reply.
    private var retirement: String?
    private var expiry: MonotonicTime?
    private var depth = 0
    private var hasOpened = false
    private var isFinished = false

    init(reactor: Reactor, owner: any RedisConnectionOwner, metrics: RedisMetrics) {
        self.reactor = reactor
        self.metrics = metrics
        self.owner = owner
    }

    /// Takes a context that is connecting. The first event, of success or failure, comes in a later turn.
    func attach(_ context: UnsafeMutablePointer<redisAsyncContext>) throws(SystemError) {
        self.context = context
        let descriptor = context.pointee.c.fd
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        watch = try reactor.watch(descriptor, .write, self)
        interest = .write
        if let reader = context.pointee.c.reader { bound = ReplyBound(reader) }
        installHooks(context)
        // Released in the hook at the context's end.
        _ = Unmanaged.passRetained(self)
        enter()
        installGuard(context)
        leave()
    }

    /// Gives a command to the library; it is written at the end of the turn at the latest.
    func send(_ command: RedisCommand, _ call: consuming PendingCall) {
        guard context != nil || stream != nil, closeReason == nil else {
            call.sink.fail(.unavailable(closeReason ?? "not connected", mayHaveBeenExecuted: false))
            return
        }
        call.command = command.script == nil ? nil : command
        call.isProbe = command.isProbe
        calls.append(call)
        unwritten += 1
        metrics.commands += 1
        if let stream {
            command.buffer.withUnsafeBytes { raw in
                stream.send(UnsafeRawBufferPointer(rebasing: raw[Int(command.start)..<(raw.count - 1)]))
            }
            return
        }
        let status = command.buffer.withUnsafeBytes { raw in
            let bytes = UnsafeRawBufferPointer(rebasing: raw[Int(command.start)...])
            let first = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            return redisAsyncFormattedCommand(context, Hooks.replied, hookData, first, bytes.count - 1)
        }
        if status != REDIS_OK { close("hiredis refused the command") }
    }

    /// True if the connection has opened and no reply has come.
    var isMute: Bool { isOpen && lastReply.nanoseconds == 0 }

    /// Ends the connection. Of the commands in flight, those whose deadline is `expiredAt` or earlier have timed out;
    /// to the others the server is unavailable.
    func close(_ reason: String, expiredAt: MonotonicTime? = nil) {
        if closeReason == nil {
            closeReason = reason
            expiry = expiredAt
        }
        if depth == 0 { freeContext() }
    }

    /// Ends the connection once every command in flight has its reply.
    func retire(_ reason: String) {
        retirement = reason
        if calls.isEmpty { close(reason) }
    }

    func reply(_ reply: UnsafeMutablePointer<redisReply>) {
        guard closeReason == nil else { return }
        defer { if let retirement, calls.isEmpty, closeReason == nil { closeReason = retirement } }
        lastReply = reactor.now
        guard let call = calls.popFirst() else {
            close("the server sent an unexpected reply")
            return
        }
        metrics.roundTrips.record(nanoseconds: (lastReply - call.sent).nanoseconds)
        unwritten = min(unwritten, calls.count)
        let view = RedisReplyView(reply)
        if view.isError {
            refused(call, view.string)
        } else {
            call.sink.succeed(view)
        }
    }

    private func refused(_ call: PendingCall, _ message: String) {
        if message.hasPrefix("NOSCRIPT"), let command = call.command?.withScriptSource, !call.sink.isAbandoned {
            var again = call
            again.sent = reactor.now
            if case .routed(let routed) = call.sink { return routed.sendAgain(command, again, on: self) }
            send(command, again)
        } else {
            if RedisRefusal(errorReply: message).isPassing { owner?.connectionRefused(self, message) }
            if !call.isProbe, !RedisConnection.leadsElsewhere(message) { metrics.refused(message) }
            call.sink.refuse(message)
        }
    }

    /// True if a cluster answers that the command belongs to another node.
    private static func leadsElsewhere(_ message: String) -> Bool {
        message.hasPrefix("MOVED ") || message.hasPrefix("ASK ")
    }

    /// The stream has verified the server, and takes commands.
    func streamOpened() {
        enter()
        isOpen = true
        leave()
    }

    // MARK: Events of the reactor

    func descriptorReady(_ readiness: Readiness) {
        enter()
        if readiness.isReadable { read() }
        if readiness.isWritable, interest.contains(.write), closeReason == nil { write() }
        leave()
    }

    func turnEnded() {
        isFlushRequested = false
        guard context != nil, closeReason == nil, !interest.contains(.write) else { return }
        enter()
        write()
        leave()
    }

    /// The number of commands that are written before the end of the turn while there are more replies to read. The
    /// server works on them meanwhile.
    private static let commandsInWrite = 32

    /// The library reads 16 KiB at a time; so it is asked again while replies come.
    private func read() {
        for _ in 0..<16 {
            guard let context, closeReason == nil else { return }
            let before = calls.count
            redisAsyncHandleRead(context)
            if let reader = self.context?.pointee.c.reader, let excess = bound?.excess(reader) { close(excess) }
            if !isOpen || calls.isEmpty || calls.count == before { return }
            if unwritten >= RedisConnection.commandsInWrite, !interest.contains(.write) { write() }
        }
    }

    private func write() {
        guard let context else { return }
        isFlushing = true
        if isOpen { unwritten = 0 }
        redisAsyncHandleWrite(context)
        isFlushing = false
    }

    // MARK: Calls into the library

    func enter() {
        depth += 1
    }

    func leave() {
        depth -= 1
        guard depth == 0 else { return }
        if closeReason != nil || (context == nil && stream == nil) {
            freeContext()
        } else if isOpen, !hasOpened {
            hasOpened = true
            owner?.connectionOpened(self)
        }
    }

    private func freeContext() {
        if let context {
            depth += 1
            redisAsyncFree(context)
            depth -= 1
        }
        if let stream {
            self.stream = nil
            stream.close()
        }
        finish()
    }

    /// Gives every command in flight its outcome.
    private func finish() {
        guard !isFinished else { return }
        isFinished = true
        let reason = closeReason ?? "the connection was lost"
        closeReason = reason
        let certain = calls.count - unwritten
        var failed = Ring<PendingCall>()
        swap(&failed, &calls)
        owner?.connectionClosed(self, reason: reason)
        var place = 0
        while let call = failed.popFirst() {
            let written = place < certain
            place += 1
            let isExpired = expiry.map { call.deadline <= $0 } ?? false
            if !call.sink.isAbandoned { metrics.failed(isExpired ? .timedOut : .connectionLost) }
            call.sink.fail(
                isExpired
                    ? .timedOut(mayHaveBeenExecuted: written) : .unavailable(reason, mayHaveBeenExecuted: written))
        }
    }
}
