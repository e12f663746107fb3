import LiveActivity
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Rates of SDK requests")
struct RequestRatesTests {
    private let device = DeviceKey(insiderID: "u", udid: "d")

    private func limits(_ values: (TenantLimits.Limit, Int)...) -> TenantLimits {
        var limits = TenantLimits.standard
        for (limit, value) in values { limits.set(limit, value) }
        return limits
    }

    /// Waits until the store has answered the reports about a device. The reads follow them on each of the nodes.
    private func heard(_ stage: StoreStage, of device: DeviceKey, tenantID: String) async throws {
        for name in [[tenantID], [tenantID, device.insiderID], [tenantID, device.insiderID, device.udid]] {
            _ = try await stage.store.value(RedisCommand("GET", RequestRates.key(name)))
        }
    }

    /// Asks all in turn until none admits a request. The store can answer in between.
    private func letIn(_ stage: StoreStage, _ rates: [RequestRates], _ limits: TenantLimits) async throws -> Int {
        var count = 0
        var idle = 0
        while idle < 3 {
            var any = false
            for rates in rates where rates.count(device, tenantID: "t", limits, now: .now()) == nil {
                count += 1
                any = true
            }
            idle = any ? 0 : idle + 1
            try await heard(stage, of: device, tenantID: "t")
        }
        return count
    }

    @Test("Two gateways together let in the limit, and at most three twentieths of it more for each")
    func twoGateways() async throws {
        try await StoreStage.run { stage in
            let pair = (0..<2).map { _ in RequestRates(stage.store.context, QuotaRefusals()) }
            let count = try await letIn(stage, pair, .standard)
            #expect((120...(120 + 2 * 18)).contains(count), "\(count)")
            // A third gateway learns of the refusal when it has used its first allowance.
            let late = RequestRates(stage.store.context, QuotaRefusals())
            #expect(try await letIn(stage, [late], .standard) <= 18)
        }
    }

    @Test(
        "Each of device, user and tenant has its own limit, and the refusal says which one is reached, and for how long"
    )
    func limits() async throws {
        try await StoreStage.run { stage in
            let refusals = QuotaRefusals()
            for (limit, value) in [(TenantLimits.Limit.deviceRequests, 3), (.userRequests, 2), (.sdkRequests, 1)] {
                let rates = RequestRates(stage.store.context, refusals)
                let given = limits((.deviceRequests, 5), (.userRequests, 5), (limit, value))
                let key = DeviceKey(insiderID: "\(limit)", udid: "d")
                func count() -> RateRefusal? { rates.count(key, tenantID: "\(limit)", given, now: .now()) }
                for _ in 0..<value {
                    #expect(count() == nil)
                    try await heard(stage, of: key, tenantID: "\(limit)")
                }
                let refusal = try #require(count())
                #expect(refusal.limit == limit)
                #expect(refusal.wait > .seconds(50) && refusal.wait <= .seconds(62))
                #expect(refusals.all.first { $0.limit == limit }?.count == 1)
            }
        }
    }

    @Test("A minute later everybody is let in again, and nothing is left in the store")
    func recovery() async throws {
        try await StoreStage.run { stage in
            let rates = RequestRates(stage.store.context, QuotaRefusals(), window: .milliseconds(1500))
            let given = limits((.deviceRequests, 2), (.userRequests, 0))
            #expect(try await letIn(stage, [rates], given) == 2)
            #expect(try await stage.keys("fanfare:{n:*").count == 1)
            let refused = try #require(rates.count(device, tenantID: "t", given, now: .now()))
            let later = MonotonicTime.now() + refused.wait + .milliseconds(1)
            #expect(rates.count(device, tenantID: "t", given, now: later) == nil)
        }
    }

    @Test("Switched off, nothing is counted and the store is told nothing")
    func off() async throws {
        try await StoreStage.run { stage in
            let rates = RequestRates(stage.store.context, QuotaRefusals())
            let given = limits((.deviceRequests, 0), (.userRequests, 0))
            for _ in 0..<2000 { #expect(rates.count(device, tenantID: "t", given, now: .now()) == nil) }
            try await heard(stage, of: device, tenantID: "t")
            #expect(try await stage.keys("*").isEmpty)
        }
    }
}
