import GatewayStore
import LiveActivity
import Testing
import TimeCore

@Suite("Quotas", .serialized)
struct QuotaTests {
    private func body(_ user: String, _ udid: String, _ rest: String = "") -> String {
        #"{"insider_id":"\#(user)","udid":"\#(udid)"\#(rest)}"#
    }

    @Test(
        "A device's requests a minute are counted over all routes and gateways, and the rest gets 429 with Retry-After")
    func rates() async throws {
        try await TestStage.run(gateways: 2) { stage in
            let tenant = stage.tenant.tenantID
            _ = try await stage.store.tenants.setTenant(tenant, limits: [(.deviceRequests, 20), (.userRequests, nil)])
            var letIn = 0
            var refused: [TestStage.Answer] = []
            for number in 0..<60 {
                let answer =
                    if number % 3 == 0 {
                        try await stage.report(
                            "POST", "tap", body("u", "d", #","system_activity_id":"x""#), gateway: number % 2)
                    } else {
                        try await stage.report(
                            "POST", "sync", body("u", "d", #","token":"00","activity_type":"T""#), gateway: number % 2)
                    }
                if answer.status == 429 { refused.append(answer) } else { letIn += 1 }
            }
            #expect((20...26).contains(letIn), "\(letIn)")
            #expect(refused.allSatisfy { $0.code == "RATE_LIMITED" })
            let wait = try #require(refused.last?.headers["retry-after"].flatMap { Int($0) })
            #expect((1...62).contains(wait))
            #expect(refused.last?["retry_after"]?.int64 == Int64(wait))
            #expect(refused.last?["error"]?.string?.hasPrefix("device_sdk_requests_per_minute") == true)
            // Nobody else has less for it.
            for gateway in 0..<2 {
                let other = try await stage.report(
                    "POST", "tap", body("u", "e", #","system_activity_id":"x""#), gateway: gateway)
                #expect(other.status == 404)
            }
        }
    }
}
