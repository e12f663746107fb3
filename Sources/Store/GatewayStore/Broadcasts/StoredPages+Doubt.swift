import RedisClient
import TimeCore

extension StoredPages {
    /// Records which open pages of an update or end a hold may have sent in part.
    public func record(
        _ doubt: PageDoubt, of job: JobTicket, _ order: BroadcastOrder, completion: @escaping () -> Void = {}
    ) {
        let keys = order.partitions(of: job.part).map { Keys.progress(job.activityID, $0, order.id) }
        // Another gateway may have ended the broadcast by now. The key must still expire.
        let expiry = order.activity.keptUntil.milliseconds
        let commands = keys.flatMap {
            [RedisCommand("HSET", $0, "doubt", doubt.rawValue), RedisCommand("PEXPIREAT", $0, expiry)]
        }
        var open = commands.count
        for command in commands {
            redis.send(command) { _ in
                open -= 1
                if open == 0 { completion() }
            }
        }
    }
}
