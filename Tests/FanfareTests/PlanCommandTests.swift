import Foundation
import Testing

@Suite("fanfare plan")
struct PlanCommandTests {
    private func plan(_ arguments: String...) async throws -> [String: Double] {
        let commands = try CommandLine()
        defer { commands.remove() }
        let result = try await commands.start(["plan", "--json"] + arguments).ended()
        #expect(result.status == 0, "\(result.errors)")
        return try JSONDecoder().decode([String: Double].self, from: Data(result.output.utf8))
    }

    @Test("A hundred million devices come to what docs/capacity.md works out")
    func hundredMillion() async throws {
        let plan = try await plan("--devices", "100000000", "--within", "66")
        #expect(plan["pushes_per_second"] == 1_515_152 && plan["pushes_per_second_of_a_gateway"] == 160_000)
        #expect(plan["gateways"] == 10)
        // 27.4 GB of registry and 11.1 for an activity.
        #expect(plan["redis_bytes"] == 38_500_000_000 && plan["redis_maxmemory"] == 48_125_000_000)
        #expect(plan["gateway_bits_per_second"].map { $0 / 1e9 } ?? 0 > 0.95)
        #expect(plan["syncs_per_second"] == 333_334)
        // 140 core-seconds a minute, and a fifth of a core on each of ten while they send.
        #expect(plan["gateway_cores_on_average"] == 2.333333)
        #expect(plan["gateway_cores_while_sending"] == 0.212121)
    }

    @Test("A small one has two gateways and one Redis; more activities take memory alone, a slow provider gateways")
    func small() async throws {
        let one = try await plan("--devices", "100000")
        #expect(one["gateways"] == 2 && one["redis_masters"] == 1 && one["redis_bytes"] == 38_500_000)
        #expect(one["seconds"] == 60 && one["pushes_per_second"] == 1667)
        let three = try await plan("--devices", "100000", "--activities", "3", "--updates-per-minute", "6")
        #expect(three["redis_bytes"] == 60_700_000 && three["seconds"] == 10)
        let slow = try await plan("--devices", "10000000", "--within", "10", "--latency", "200")
        #expect(slow["gateways"] == 27)
    }

    @Test("For people it is a line for each thing; what is no number of devices is refused")
    func people() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let result = try await commands.run("plan", "--devices", "1000000", "--updates-per-minute", "2")
        #expect(result.status == 0)
        let first = "an update             33,334 pushes/s to reach all in 30.0 s\n"
        #expect(result.output.hasPrefix(first), "\(result.output)")
        let memory = "\nmemory of Redis       0.39 GB of data; set maxmemory to 0.48 GB in total"
        #expect(result.output.contains(memory), "\(result.output)")
        #expect(try await commands.run("plan", "--devices", "0").status == 64)
        #expect(try await commands.run("plan", "--devices", "5", "--within", "-1").status == 64)
    }
}
