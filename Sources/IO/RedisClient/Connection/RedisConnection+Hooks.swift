import CHiredis
import Reactor

/// The functions that the library calls. `data` is the connection, which outlives its context.
enum Hooks {
    static func connection(_ data: UnsafeMutableRawPointer?) -> RedisConnection? {
        data.map { Unmanaged<RedisConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Called without a reply while the context is freed; its end fails all commands.
    static let replied:
        @convention(c) (
            UnsafeMutablePointer<redisAsyncContext>?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
        ) -> Void = { context, reply, data in
            guard let reply, let connection = connection(data) else { return }
            connection.reply(reply.assumingMemoryBound(to: redisReply.self))
            // From within a reply's callback the library allows this, and frees the context when the callback returns.
            // Otherwise it would go on with the replies that it has read, and the spare entry can take only one.
            if connection.closeReason != nil { redisAsyncFree(context) }
        }
}

extension RedisConnection {
    var hookData: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    func installHooks(_ context: UnsafeMutablePointer<redisAsyncContext>) {
        context.pointee.data = hookData
        context.pointee.ev.data = hookData
        context.pointee.ev.addRead = { Hooks.connection($0)?.addInterest(.read) }
        context.pointee.ev.delRead = { Hooks.connection($0)?.removeInterest(.read) }
        context.pointee.ev.addWrite = { Hooks.connection($0)?.writeWanted() }
        context.pointee.ev.delWrite = { Hooks.connection($0)?.removeInterest(.write) }
        context.pointee.ev.cleanup = { Hooks.connection($0)?.contextEnded() }
        redisAsyncSetConnectCallback(context) { context, status in
            guard status == REDIS_OK else { return }
            Hooks.connection(context?.pointee.data)?.isOpen = true
        }
    }

    /// Puts the spare entry into the library's list of callbacks: a command of no bytes.
    func installGuard(_ context: UnsafeMutablePointer<redisAsyncContext>) {
        // The library reads the name of the command from the text, but sends as many bytes as the length says: none.
        let status = redisAsyncFormattedCommand(context, Hooks.replied, hookData, "$0\r\n\r\n", 0)
        if status != REDIS_OK { close("hiredis refused the command") }
    }

    private func writeWanted() {
        if !isOpen || isFlushing {
            addInterest(.write)
        } else if !isFlushRequested {
            isFlushRequested = true
            reactor.atEndOfTurn(self)
        }
    }

    private func addInterest(_ added: Interest) {
        setInterest(interest.union(added))
    }

    private func removeInterest(_ removed: Interest) {
        setInterest(interest.subtracting(removed))
    }

    private func setInterest(_ wanted: Interest) {
        guard wanted != interest, let watch else { return }
        interest = wanted
        do {
            try reactor.rewatch(watch, wanted)
        } catch {
            if closeReason == nil { closeReason = error.description }
        }
    }

    /// The library frees the context as soon as this returns.
    private func contextEnded() {
        guard let ended = context else { return }
        let reader = ended.pointee.c.reader
        if closeReason == nil {
            closeReason =
                reader.flatMap { bound?.excess($0) }
                ?? (ended.pointee.err == 0 ? nil : ended.pointee.errstr.map { String(cString: $0) })
        }
        // The library frees its reader after this connection may be gone.
        if let reader { bound?.release(reader) }
        context = nil
        if let watch { reactor.unwatch(watch) }
        watch = nil
        Unmanaged.passUnretained(self).release()
    }
}
