import MetricsCore
import RedisClient

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
            "Writes that must not be lost, by whether a replica of the cluster acknowledged them in time."
        ) { family in
            family.add(redis.cluster.replicated, ["result": "acknowledged"])
            family.add(redis.cluster.unreplicated, ["result": "unacknowledged"])
        }
    }
}
