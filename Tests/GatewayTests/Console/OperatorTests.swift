import Gateway
import GatewayStore
import LiveActivity
import TestStore
import Testing
import TimeCore

@Suite("What operators see and change at the console", .serialized)
struct OperatorTests {
    @Test(
        "A tenant is made, changed and given fresh keys; each change counts at once and is refused whole when a part is wrong"
    )
    func tenants() async throws {
        try await TestStage.runWithConsole { stage in
            let ada = try await ConsoleVisitor.signedIn(stage, try await stage.makeOperator("ada"))
            let made = try await ada.ask(
                "POST", "/console/operator/tenants", #"{"name":"<b>cup</b>","tier":"enterprise"}"#)
            let id = try #require(made["tenant_id"]?.string, "\(made.text)")
            let key = try #require(made["api_key"]?.string)
            #expect(made["sdk_key"]?.string?.hasPrefix("ffs_") == true && made["identity_secret"] != nil)
            #expect(try await limits(stage, key).status == 200)

            let path = "/console/operator/tenants/\(id)"
            let wrong = [
                #"{"enabled":false,"tier":"gold"}"#, #"{"enabled":false,"limits":{"wieght":2}}"#,
                #"{"enabled":false,"limits":{"weight":0}}"#, #"{"enabled":false,"limits":{"weight":"2"}}"#,
                #"{"enabled":"no"}"#, #"{"enabled":false,"x":1}"#, #"{"signatures":"v3"}"#,
            ]
            for body in wrong {
                let refused = try await ada.ask("PATCH", path, body)
                #expect(refused.code == "VALIDATION_FAILED", "\(body): \(refused.text)")
            }
            #expect(try await limits(stage, key).status == 200)
            let changed = try await ada.ask(
                "PATCH", path, #"{"enabled":false,"tier":"growth","signatures":"v2","limits":{"weight":7,"users":0}}"#)
            #expect(changed["enabled"]?.bool == false && changed["tier"]?.string == "growth", "\(changed.text)")
            #expect(changed["signatures"]?.string == "v2")
            #expect(try limit("weight", changed)["limit"]?.int64 == 7)
            let users = try limit("users", changed)
            #expect(users["limit"] == nil && users["default"]?.bool == false)
            #expect(try await limits(stage, key).code == "LIVE_ACTIVITY_DISABLED")
            let back = try await ada.ask("PATCH", path, #"{"enabled":true,"limits":{"weight":null}}"#)
            #expect(try limit("weight", back)["default"]?.bool == true)

            let rotated = try await ada.ask("POST", path + "/rotate-key", #"{"kind":"api","overlap":0}"#)
            let fresh = try #require(rotated["secret"]?.string, "\(rotated.text)")
            #expect(try await limits(stage, key).code == "UNAUTHORIZED")
            #expect(try await limits(stage, fresh).status == 200)
            for body in [#"{"kind":"x","overlap":0}"#, #"{"kind":"api"}"#, #"{"kind":"api","overlap":-1}"#] {
                #expect(try await ada.ask("POST", path + "/rotate-key", body).code == "VALIDATION_FAILED")
            }
            let list = try await ada.ask("GET", "/console/operator/tenants")
            #expect(list["tenants"]?.elementCount == 2 && !list.text.contains(fresh), "\(list.text)")
            let none = "/console/operator/tenants/none"
            #expect(try await ada.ask("PATCH", none, #"{"enabled":true}"#).code == "NOT_FOUND")
            #expect(try await ada.ask("POST", none + "/rotate-key", #"{"kind":"sdk","overlap":0}"#).code == "NOT_FOUND")
        }
    }

    @Test("Health says what the listener for health says, and metrics are those of /metrics")
    func gateway() async throws {
        try await TestStage.runWithConsole { stage in
            let ada = try await ConsoleVisitor.signedIn(stage, try await stage.makeOperator("ada"))
            let health = try await ada.ask("GET", "/console/operator/health")
            #expect(health["ready"]?.bool == true && health["version"]?.string == "unknown", "\(health.text)")
            let metrics = try await ada.ask("GET", "/console/operator/metrics")
            #expect(metrics.text.contains("\nfanfare_build_info"))
            #expect(try await ada.ask("GET", "/console/operator/nothing").code == "NOT_FOUND")
            // A session that was checked a moment ago can still read the reasons of the outage.
            await stage.redis.stop()
            let without = try await ada.ask("GET", "/console/operator/health")
            #expect(without.status == 200 && without["ready"]?.bool == false, "\(without.text)")
            #expect(without.text.contains(#""reasons":[{"name":"store","#), "\(without.text)")
            let away = try await ada.ask("GET", "/console/operator/metrics")
            #expect(away.text.contains("\nfanfare_redis_up 0"), "\(away.status)")
            #expect(try await ada.ask("GET", "/console/operator/tenants").code == "STORE_UNAVAILABLE")
            var stranger = ada
            stranger.token = "x"
            #expect(try await stranger.ask("GET", "/console/operator/health").code == "UNAUTHORIZED")
        }
    }

    private func limits(_ stage: TestStage, _ key: String) async throws -> TestStage.Answer {
        try await stage.read("/api/v1/limits", key: key)
    }

    private func limit(_ name: String, _ answer: TestStage.Answer) throws -> JSONValue {
        try #require(answer.element("limits", named: name))
    }
}

extension JSONValue {
    fileprivate subscript(_ name: String) -> JSONValue? { (try? member(name)) ?? nil }
}
