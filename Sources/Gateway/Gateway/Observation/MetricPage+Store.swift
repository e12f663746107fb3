import GatewayStore
import MetricsCore
import RedisClient
import TimeCore

extension MetricPage {
    mutating func add(_ redis: RedisClientSnapshot) {
        gauge("fanfare_redis_up", "1 when commands reach Redis; in a cluster, all of its masters.") {
            $0.add(redis.isConnected ? 1 : 0)
        }
        histogram("fanfare_redis_round_trip_seconds", "From when a command was sent until its reply came.") {
            $0.add(redis.roundTrips)
        }
        counter("fanfare_redis_commands_total", "Commands that were sent to Redis.") { $0.add(redis.commands) }
        counter("fanfare_redis_command_failures_total", "Commands that failed.") { family in
            for failure in RedisFailure.allCases {
                family.add(redis.failures[failure.rawValue], ["reason": failure.description])
            }
        }
        counter("fanfare_redis_refusals_total", "Commands that Redis refused, by what it said.") { family in
            for kind in RedisRefusal.allCases { family.add(redis.refusals[kind.rawValue], ["kind": "\(kind)"]) }
        }
        gauge("fanfare_redis_commands_open", "Commands that have no outcome yet.") { $0.add(redis.openCommands) }
        counter("fanfare_redis_connections_opened_total", "Connections to Redis that were established.") {
            $0.add(redis.connectionsOpened)
        }
        counter("fanfare_redis_connections_lost_total", "Connections to Redis that were lost.") {
            $0.add(redis.connectionsLost)
        }
        counter("fanfare_redis_connection_attempts_failed_total", "Attempts to connect to Redis that failed.") {
            $0.add(redis.attemptsFailed)
        }
        counter("fanfare_redis_cluster_redirections_total", "Commands that a node of a cluster sent on (MOVED, ASK).") {
            $0.add(redis.cluster.redirections)
        }
        counter("fanfare_redis_cluster_delays_total", "Commands that waited until their slot had a node that serves.") {
            $0.add(redis.cluster.delays)
        }
        counter("fanfare_redis_cluster_refreshes_total", "How often the topology of the cluster was read.") {
            $0.add(redis.cluster.refreshes)
        }
        counter(
            "fanfare_redis_replicated_writes_total",
            "Writes that must not be lost, by whether a replica acknowledged them in time."
        ) { family in
            family.add(redis.cluster.replicated, ["result": "acknowledged"])
            family.add(redis.cluster.unreplicated, ["result": "unacknowledged"])
        }
    }

    mutating func add(_ memory: (used: Int64, most: Int64)?) {
        gauge("fanfare_redis_memory_used_bytes", "Bytes that Redis used when it was last asked, once a minute.") {
            if let memory { $0.add(memory.used) }
        }
        gauge("fanfare_redis_memory_limit_bytes", "Bytes that Redis may use at most; 0 for no limit.") {
            if let memory { $0.add(memory.most) }
        }
    }

    mutating func add(tenants: Int?, topicStartDelay: TimeInterval) {
        gauge("fanfare_tenants", "Tenants in the store when it was last asked; 0 in an emptied Redis.") {
            if let tenants { $0.add(tenants) }
        }
        gauge(
            "fanfare_topic_start_delay_seconds",
            "For how long the live topic that waits longest for its start has waited; 0 when none waits."
        ) { $0.add(nanoseconds: UInt64(max(0, topicStartDelay.nanoseconds))) }
    }

    mutating func add(_ commits: CommitCounts) {
        counter(
            "fanfare_redis_persisted_starts_total",
            "Starts that waited for the append-only file, by whether Redis said in time that it has them."
        ) { family in
            family.add(commits.acknowledged, ["result": "acknowledged"])
            family.add(commits.unacknowledged, ["result": "unacknowledged"])
        }
    }

    mutating func add(_ checks: [StoreCheck], vanished: Int) {
        counter(
            "fanfare_broadcasts_vanished_total", "Broadcasts that were gone from Redis before they had ended."
        ) { $0.add(UInt64(vanished)) }
        gauge(
            "fanfare_redis_check",
            "1 when Redis is as the gateway needs it, 0 when it is not; there is no series for what it does not tell."
        ) { family in
            for check in checks where check.finding != .unknown {
                family.add(check.text == nil ? 1 : 0, ["check": check.name.rawValue])
            }
        }
    }
}
