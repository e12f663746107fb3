import TimeCore

extension RedisConnection {
    /// Fails the commands whose deadline has passed. If no reply has arrived since one of them was sent, the connection
    /// is closed as dead. Otherwise the server is only slow, and the late replies of these commands are dropped.
    /// Returns the earliest deadline that is still ahead.
    func sweep(_ now: MonotonicTime) -> MonotonicTime? {
        var earliest: MonotonicTime?
        var expired: [(sink: ReplySink, isWritten: Bool)] = []
        var isSilent = false
        let written = calls.count - unwritten
        let reply = lastReply
        calls.forEach { _, call in
            guard !call.sink.isAbandoned else { return }
            if call.deadline > now {
                earliest = min(earliest ?? call.deadline, call.deadline)
            } else if call.sent >= reply {
                isSilent = true
            }
        }
        if isSilent {
            close("the server did not answer in time", expiredAt: now)
            return nil
        }
        calls.forEach { place, call in
            guard !call.sink.isAbandoned, call.deadline <= now else { return }
            expired.append((call.sink, place < written))
            call.sink = .abandoned
        }
        for (sink, isWritten) in expired {
            metrics.failed(.timedOut)
            sink.fail(.timedOut(mayHaveBeenExecuted: isWritten))
        }
        return earliest
    }
}
