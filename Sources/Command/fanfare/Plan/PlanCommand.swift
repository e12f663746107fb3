import ArgumentParser
import Foundation
import LiveActivity
import TerminalDisplay

struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Calculates the gateways, Redis and network that a segment needs.",
        discussion: """
            Uses measured figures (docs/capacity.md): microseconds of a core of an AMD EPYC, pushes of 400 bytes. It \
            does not examine this machine; `fanfare loadtest` measures yours.

            EXAMPLES:
              fanfare plan --devices 1000000
              fanfare plan --devices 5000000 --updates-per-minute 4 --within 10
              fanfare plan --devices 100000000 --within 63 --json
            """)

    @Option(help: "Number of devices in the segment.")
    var devices: Int

    @Option(help: "Updates to the whole segment a minute.")
    var updatesPerMinute = 1.0

    @Option(
        help: "Seconds in which an update must reach all devices. Default: the time to the next update, at most 60.")
    var within: Double?

    @Option(help: "Concurrent activities of each device.")
    var activities = 1

    @Option(help: "Milliseconds until the provider answers a push.")
    var latency = 50.0

    @Option(help: "Streams that the provider allows on a connection.")
    var streams = 1000

    @Option(help: "Connections of a gateway to the provider (apns.connections).")
    var connections = 8

    @Flag(help: "Print JSON, and nothing else, on standard output.")
    var json = false

    func validate() throws {
        guard (1...10_000_000_000).contains(devices) else { throw ValidationError("--devices must be at least 1") }
        guard updatesPerMinute > 0, updatesPerMinute <= 6000 else {
            throw ValidationError("--updates-per-minute must be more than 0 and at most 6000")
        }
        guard within.map({ $0 > 0 && $0 <= 86_400 }) ?? true else {
            throw ValidationError("--within must be more than 0 and at most 86400 seconds")
        }
        guard (1...1000).contains(activities), latency >= 0.1, latency <= 60_000, (1...100_000).contains(streams),
            (1...256).contains(connections)
        else {
            throw ValidationError(
                "--activities must be 1 to 1000, --latency 0.1 to 60000, --streams 1 to 100000, --connections 1 to 256")
        }
    }

    func run() {
        let plan = CapacityPlan(
            .init(
                devices: devices, updatesPerMinute: updatesPerMinute,
                seconds: within ?? min(60, 60 / updatesPerMinute), activities: activities, latency: latency,
                streams: streams, connections: connections))
        print(json ? String(decoding: plan.json, as: UTF8.self) : plan.lines)
    }
}

extension CapacityPlan {
    fileprivate var json: [UInt8] {
        JSONWriter.object {
            $0.field("devices", demand.devices)
            $0.field("seconds", PlanNumber.exact(demand.seconds))
            $0.field("pushes_per_second", Int(pushesPerSecond.rounded(.up)))
            $0.field("gateways", gateways)
            $0.field("pushes_per_second_of_a_gateway", Int(pushesPerGateway))
            $0.field("gateway_cores_on_average", PlanNumber.exact(gatewayCores))
            $0.field("gateway_cores_while_sending", PlanNumber.exact(coresWhileSending))
            $0.field("gateway_bits_per_second", Int(bitsPerSecond.rounded(.up)))
            $0.field("redis_bytes", Int(redisBytes.rounded(.up)))
            $0.field("redis_maxmemory", Int(redisLimit.rounded(.up)))
            $0.field("redis_masters", masters)
            $0.field("redis_cores_while_sending", PlanNumber.exact(redisCores))
            $0.field("redis_commands_per_second", Int(redisCommandsPerSecond.rounded(.up)))
            $0.field("syncs_per_second", Int(syncsPerSecond.rounded(.up)))
            $0.field("sync_gateway_cores", PlanNumber.exact(syncGatewayCores))
            $0.field("sync_redis_cores", PlanNumber.exact(syncRedisCores))
            $0.field("register_seconds", PlanNumber.exact(registerSeconds))
        }
    }

    fileprivate var lines: String {
        let rows = [
            (
                "an update",
                "\(PlanNumber.counted(pushesPerSecond)) pushes/s to reach all in \(PlanNumber.short(demand.seconds)) s"
            ),
            (
                "gateways",
                "\(gateways); each sends at most \(PlanNumber.counted(pushesPerGateway)) pushes/s, limited by the provider's streams "
                    + "and answer time"
            ),
            (
                "CPU of a gateway",
                "\(PlanNumber.short(coresWhileSending)) cores while it sends; all gateways \(PlanNumber.short(gatewayCores)) on "
                    + "average"
            ),
            ("network of a gateway", "\(PlanNumber.short(bitsPerSecond / 1e6)) Mbit/s out while it sends"),
            (
                "memory of Redis",
                "\(PlanNumber.short(redisBytes / 1e9)) GB of data; set maxmemory to "
                    + "\(PlanNumber.short(redisLimit / 1e9)) GB in total, on machines with twice as much"
            ),
            ("masters of Redis", "\(masters), each with a replica if there are several"),
            (
                "CPU of Redis",
                "\(PlanNumber.short(redisCores)) cores during an update, "
                    + "\(PlanNumber.counted(redisCommandsPerSecond)) commands/s"
            ),
            (
                "after a start",
                "\(PlanNumber.counted(syncsPerSecond)) syncs/s for five minutes: "
                    + "\(PlanNumber.short(syncGatewayCores)) cores of gateways, \(PlanNumber.short(syncRedisCores)) of Redis"
            ),
            ("to register", "\(PlanNumber.short(registerSeconds)) s for a stored segment"),
        ]
        return rows.map { $0.0.padding(toLength: 22, withPad: " ", startingAt: 0) + $0.1 }.joined(separator: "\n")
    }
}

/// Numbers of a plan, which is no more exact than this.
private enum PlanNumber {
    /// Six digits behind the point, for programs.
    static func exact(_ value: Double) -> Double { (value * 1e6).rounded() / 1e6 }

    /// Two digits that count, for people.
    static func short(_ value: Double) -> String {
        guard value < 100 else { return counted(value) }
        return String(format: value < 0.1 ? "%.3f" : value < 10 ? "%.2f" : "%.1f", value)
    }

    static func counted(_ value: Double) -> String { Format.count(Int(value.rounded(.up))) }
}
