import GatewayStore
import MetricsCore
import RedisClient
import TimeCore

extension MetricPage {
    mutating func add(_ redis: RedisClientSnapshot) {
        gauge("fanfare_redis_up", "1 if commands reach Redis; in a cluster, all masters.") {
            $0.add(redis.isConnected ? 1 : 0)
        }
        histogram("fanfare_redis_round_trip_seconds", "Time from sending a command to its reply.") {
            $0.add(redis.roundTrips)
        }
        counter("fanfare_redis_commands_total", "Commands sent to Redis.") { $0.add(redis.commands) }
        counter("fanfare_redis_command_failures_total", "Failed commands.") { family in
            for failure in RedisFailure.allCases {
                family.add(redis.failures[failure.rawValue], ["reason": failure.description])
            }
        }
        counter("fanfare_redis_refusals_total", "Commands refused by Redis, by kind.") { family in
            for kind in RedisRefusal.allCases { family.add(redis.refusals[kind.rawValue], ["kind": "\(kind)"]) }
        }
        gauge("fanfare_redis_commands_open", "Commands without an outcome yet.") { $0.add(redis.openCommands) }
        counter("fanfare_redis_connections_opened_total", "Established connections to Redis.") {
            $0.add(redis.connectionsOpened)
        }
        counter("fanfare_redis_connections_lost_total", "Lost connections to Redis.") {
            $0.add(redis.connectionsLost)
        }
        counter("fanfare_redis_connection_attempts_failed_total", "Failed attempts to connect to Redis.") {
            $0.add(redis.attemptsFailed)
        }
        addCluster(redis)
    }

    private mutating func addCluster(_ redis: RedisClientSnapshot) {
        counter("fanfare_redis_cluster_redirections_total", "Commands redirected by a cluster node (MOVED, ASK).") {
            $0.add(redis.cluster.redirections)
        }
        counter("fanfare_redis_cluster_delays_total", "Commands that waited for a node that serves their slot.") {
            $0.add(redis.cluster.delays)
        }
        counter("fanfare_redis_cluster_refreshes_total", "Reads of the cluster topology.") {
            $0.add(redis.cluster.refreshes)
        }
        counter(
            "fanfare_redis_replicated_writes_total",
            "Critical writes by acknowledgement of a replica."
        ) { family in
            family.add(redis.cluster.replicated, ["result": "acknowledged"])
            family.add(redis.cluster.unreplicated, ["result": "unacknowledged"])
        }
    }

    mutating func add(_ memory: (used: Int64, most: Int64)?) {
        gauge("fanfare_redis_memory_used_bytes", "Memory used by Redis, read once a minute.") {
            if let memory { $0.add(memory.used) }
        }
        gauge("fanfare_redis_memory_limit_bytes", "Memory limit of Redis; 0 means no limit.") {
            if let memory { $0.add(memory.most) }
        }
    }

    mutating func add(tenants: Int?, topicStartDelay: TimeInterval) {
        gauge("fanfare_tenants", "Tenants in the store at the last reading; 0 in an emptied Redis.") {
            if let tenants { $0.add(tenants) }
        }
        gauge(
            "fanfare_topic_start_delay_seconds",
            "Longest time that a live topic has waited for its start; 0 if none waits."
        ) { $0.add(nanoseconds: UInt64(max(0, topicStartDelay.nanoseconds))) }
    }

    mutating func add(_ commits: CommitCounts) {
        counter(
            "fanfare_redis_persisted_starts_total",
            "Starts that waited for the append-only file, by confirmation."
        ) { family in
            family.add(commits.acknowledged, ["result": "acknowledged"])
            family.add(commits.unacknowledged, ["result": "unacknowledged"])
        }
    }

    mutating func add(_ checks: [StoreCheck], vanished: Int) {
        counter(
            "fanfare_broadcasts_vanished_total", "Unfinished broadcasts that are missing in Redis."
        ) { $0.add(UInt64(vanished)) }
        gauge(
            "fanfare_redis_check",
            "1 if Redis passes the check, 0 if not; no series if Redis does not reveal the setting."
        ) { family in
            for check in checks where check.finding != .unknown {
                family.add(check.text == nil ? 1 : 0, ["check": check.name.rawValue])
            }
        }
    }
}
