import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import Reactor
import RedisClient
import Testing
import TimeCore

@Suite("Stored segments over HTTP", .serialized)
struct SegmentTests {
    @Test("A segment is uploaded as CSV, as JSON lines and as JSON, counted, listed and deleted")
    func wholeLife() async throws {
        try await TestStage.run(gateways: 2) { stage in
            let before = WallTime.now().seconds
            let put = try await stage.segment("PUT", "vip", "insider_id,name\r\na,x\r\n\"b,1\",y\r\na,x\r\n")
            #expect(put.status == 200 && put.text.hasPrefix(#"{"status":"success","name":"vip","users":2,"#))
            let time = try #require(put["updated_at"]?.string.flatMap { WallTime(rfc3339: $0) })
            #expect(time.seconds >= before && time.seconds <= WallTime.now().seconds)
            let lines = "\"c\"\n{\"insider_id\":\"d\",\"x\":1}\n\"a\"\n"
            let added = try await stage.segment(
                "POST", "vip/users", lines, type: "application/x-ndjson; charset=utf-8", gateway: 1)
            #expect(added.status == 200, "\(added.text)")
            #expect(added["added_users"]?.int64 == 2 && added["users"]?.int64 == 4)
            let json = #"{"insider_ids":["c","zzz"]}"#
            let removed = try await stage.segment("DELETE", "vip/users", json, type: "application/json")
            #expect(removed["removed_users"]?.int64 == 1 && removed["users"]?.int64 == 3, "\(removed.text)")
            let other = try await stage.segment("PUT", "other", json, type: "application/json")
            #expect(other["users"]?.int64 == 2)
            let count = try await stage.segment("GET", "vip", gateway: 1)
            #expect(count.status == 200 && count["name"]?.string == "vip" && count["users"]?.int64 == 3)
            #expect(count["updated_at"]?.string.flatMap { WallTime(rfc3339: $0) } != nil)
            #expect(count.headers["x-ratelimit-remaining"] != nil)

            let first = try await stage.segment("GET", "?limit=1")
            #expect(first["segments"]?.elements.map { try? $0.member("name")?.string } == ["other"])
            let cursor = try #require(first["cursor"]?.string)
            let second = try await stage.segment("GET", "?limit=1&cursor=\(cursor)")
            #expect(second["segments"]?.elements.map { try? $0.member("name")?.string } == ["vip"])
            #expect(second["cursor"] == nil)
            let deleted = try await stage.segment("DELETE", "vip")
            #expect(deleted.status == 200 && deleted.text == #"{"status":"success"}"#)
            #expect(try await stage.users("vip") == nil)
            #expect(try await stage.segment("DELETE", "vip").code == "NOT_FOUND")
            #expect(try await stage.segment("GET", "")["segments"]?.elementCount == 1)
        }
    }

    @Test("A DELETE of the whole refuses a body, which would be for a part, and deletes nothing")
    func deleteWithBody() async throws {
        try await TestStage.run { stage in
            _ = try await stage.segment("PUT", "vip", "a\n")
            let json = #"{"insider_ids":["a"]}"#
            let headers = ["X-Api-Key": stage.tenant.apiKey, "Content-Type": "application/json"]
            for path in ["segments/vip", "topics/vip", "users/a", "users/a/devices/b", "webhooks/\(UniqueID.random())"]
            {
                let answer = try await stage.send("DELETE", "/api/v1/\(path)", json, headers: headers)
                #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(path): \(answer.text)")
            }
            #expect(try await stage.users("vip") == 1)
        }
    }

    @Test("A header alone and a body without a byte are refused")
    func emptyLists() async throws {
        try await TestStage.run { stage in
            _ = try await stage.segment("PUT", "vip", "a\n")
            let refused = try await stage.segment("PUT", "vip", "")
            #expect(refused.status == 400 && refused.code == "REQUEST_INVALID", "\(refused.text)")
            #expect(try await stage.users("vip") == 1)
            let header = try await stage.segment("PUT", "vip", "insider_id\n")
            #expect(header.status == 400 && header.code == "VALIDATION_FAILED", "\(header.text)")
            #expect(try await stage.users("vip") == 1)
        }
    }

    @Test("A body whose type is not a list in UTF-8 is refused before it is read")
    func types() async throws {
        try await TestStage.run { stage in
            let types = [
                nil, "", "text/plain", "text/csv2", "text/csv; charset=iso-8859-1", "multipart/form-data",
                "text/csv; header=present",
            ]
            for type in types {
                let answer = try await stage.segment("PUT", "vip", "a\n", type: type)
                #expect(answer.status == 400 && answer.code == "REQUEST_INVALID", "\(type ?? "none") \(answer.text)")
            }
            let coded = try await stage.segment("PUT", "vip", "a\n", headers: ["Content-Encoding": "gzip"])
            #expect(coded.status == 415 && coded.code == "UNSUPPORTED_ENCODING")
            for type in ["TEXT/CSV", "text/csv ; charset=\"UTF-8\"; x=y"] {
                #expect(try await stage.segment("PUT", "vip", "a\n", type: type).status == 200)
            }
        }
    }

    @Test("A broken line is named, and nothing changes, in each of the ways to change a segment")
    func brokenLines() async throws {
        try await TestStage.run { stage in
            _ = try await stage.segment("PUT", "vip", "a\nb\n")
            for (method, path) in [("PUT", "vip"), ("POST", "vip/users"), ("DELETE", "vip/users")] {
                let csv = try await stage.segment(method, path, "a\nc\n\"d\"e\n")
                #expect(csv.status == 400 && csv.code == "VALIDATION_FAILED", "\(csv.text)")
                #expect(csv["error"]?.string?.hasPrefix("line 3: ") == true, "\(csv.text)")
                for (list, line) in [("email,name\nx,y\n", 1), ("insider_id;name\r\n", 2), ("name;insider_id\nc\n", 2)]
                {
                    let answer = try await stage.segment(method, path, list)
                    #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(answer.text)")
                    #expect(answer["error"]?.string?.hasPrefix("line \(line): ") == true, "\(answer.text)")
                }
                let json = try await stage.segment(method, path, "\"a\"\n{\"x\":1}\n", type: "application/x-ndjson")
                #expect(json.code == "VALIDATION_FAILED" && json["error"]?.string?.hasPrefix("line 2: ") == true)
                let array = try await stage.segment(
                    method, path, #"{"insider_ids":["a",""]}"#, type: "application/json")
                #expect(array.code == "VALIDATION_FAILED", "\(array.text)")
                #expect(array["error"]?.string?.hasPrefix("insider_ids[1] ") == true)
                let none = try await stage.segment(method, path, #"{"ids":["a"]}"#, type: "application/json")
                #expect(none.code == "VALIDATION_FAILED")
                #expect(try await stage.users("vip") == 2)
            }
        }
    }

    @Test("An export of a spreadsheet is read by its column insider_id")
    func spreadsheets() async throws {
        try await TestStage.run { stage in
            let list = "\u{FEFF}E-Mail;Insider_ID\r\nx@y;a\r\n\"x;y\";b\r\n;\r\n"
            let put = try await stage.segment("PUT", "vip", list)
            #expect(put.status == 200)
            #expect(try await stage.users("vip") == 2)
            #expect(try await stage.segment("DELETE", "vip/users", "name\tinsider_id\nAnn\ta\n").status == 200)
            #expect(try await stage.users("vip") == 1)
        }
    }

    @Test("Names, limits and cursors out of bounds are refused")
    func names() async throws {
        try await TestStage.run { stage in
            for name in ["a%20b", "%C5%BC", String(repeating: "n", count: 129)] {
                for (method, path) in [("PUT", name), ("POST", "\(name)/users"), ("DELETE", name), ("GET", name)] {
                    let answer = try await stage.segment(
                        method, path, ["GET", "DELETE"].contains(method) ? nil : "a\n")
                    #expect(answer.code == "VALIDATION_FAILED", "\(method) \(name) \(answer.text)")
                }
            }
            let longest = String(repeating: "n", count: 128)
            #expect(try await stage.segment("PUT", longest, "a\n").status == 200)
            for query in ["?limit=0", "?limit=1001", "?limit=x", "?cursor=", "?cursor=%20"] {
                #expect(try await stage.segment("GET", query).code == "VALIDATION_FAILED", "\(query)")
            }
            #expect(try await stage.segment("POST", "none/users", "a\n").code == "NOT_FOUND")
            #expect(try await stage.segment("DELETE", "none/users", "a\n").code == "NOT_FOUND")
        }
    }

    @Test("Segments belong to their tenant, and keys, tiers and rates hold for them as for all")
    func admission() async throws {
        try await TestStage.run(configure: { $0.api.requestsPerMinute = 20 }) { stage in
            let other = try await stage.store.tenants.createTenant(name: "other", tier: .growth)
            let foreign = ["X-Api-Key": other.apiKey]
            _ = try await stage.segment("PUT", "vip", "a\n")
            #expect(try await stage.segment("GET", "vip", headers: foreign).code == "NOT_FOUND")
            #expect(try await stage.segment("POST", "vip/users", "b\n", headers: foreign).code == "NOT_FOUND")
            #expect(try await stage.segment("DELETE", "vip", headers: foreign).code == "NOT_FOUND")
            #expect(try await stage.segment("GET", "", headers: foreign)["segments"]?.elementCount == 0)
            let body = TestStage.segmentBody("vip")
            #expect(try await stage.call("register", body, headers: foreign).code == "NOT_FOUND")
            #expect(try await stage.segment("PUT", "vip", "x\ny\n", headers: foreign).status == 200)
            #expect(try await stage.users("vip") == 1)

            let wrong = try await stage.segment("PUT", "vip", "b\n", headers: ["X-Api-Key": stage.tenant.sdkKey])
            #expect(wrong.status == 401 && wrong.code == "UNAUTHORIZED")
            _ = try await stage.store.tenants.setTenant(other.tenantID, enabled: false)
            #expect(try await stage.segment("PUT", "vip", "b\n", headers: foreign).code == "LIVE_ACTIVITY_DISABLED")
            let small = try await stage.store.tenants.createTenant(name: "small", tier: .starter)
            let low = try await stage.segment("PUT", "vip", "b\n", headers: ["X-Api-Key": small.apiKey])
            #expect(low.status == 402 && low.code == "TIER_REQUIRED")
            var last = 0
            for _ in 0..<21 { last = try await stage.segment("PUT", "vip", "b\nc\n").status }
            #expect(last == 429)
            #expect(try await stage.segment("GET", "vip").headers["retry-after"] != nil)
        }
    }

    @Test("An activity is registered for a segment, with everything counted, and reaches its devices")
    func register() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(2500)
            #expect(try await stage.segment("PUT", "fans", TestStage.csv(0..<2600)).status == 200)
            let answer = try await stage.call("register", TestStage.segmentBody("fans"))
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer["registered_users"]?.int64 == 2500 && answer["registered_devices"]?.int64 == 2500)
            #expect(answer["partial"]?.bool == true && answer.skipped("unknown_user") == 100)
            #expect(answer["unprocessed_insider_id_count"]?.int64 == 0)
            let id = try #require(answer["activity_id"]?.string)
            // The activity is one like any other.
            let more = """
                {"activity_id":"\(id)","activity_type":"\(TestStage.type)","insider_ids":[\(TestStage.list(0..<10))]}
                """
            #expect(try await stage.call("remove-users", more)["removed_devices"]?.int64 == 10)
            #expect(try await stage.call("add-users", more)["registered_devices"]?.int64 == 10)
            let listed = try await stage.read("/api/v1/live-activity")
            #expect(listed.text.contains(id), "\(listed.text)")
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 2500)
            #expect(Set(stage.pushes(.start).map(\.path)).count == 2500)
            #expect(try await stage.sync(77, id).status == 200)
        }
    }

    @Test("register takes insider_ids or the name of an existing segment with an eligible device")
    func registerRefusals() async throws {
        try await TestStage.run { stage in
            func refused(_ fields: String) async throws -> TestStage.Answer {
                try await stage.call(
                    "register",
                    #"{"activity_type":"\#(TestStage.type)","ends_at":"\#(TestStage.endsAt())"\#(fields)}"#)
            }
            _ = try await stage.segment("PUT", "strangers", "x\ny\n")
            #expect(try await refused("").code == "INSIDER_IDS_OUT_OF_RANGE")
            #expect(try await refused(#","segment":"strangers","insider_ids":["x"]"#).code == "VALIDATION_FAILED")
            #expect(try await refused(#","segment":7"#).code == "VALIDATION_FAILED")
            #expect(try await refused(#","segment":"a b""#).code == "VALIDATION_FAILED")
            #expect(try await refused(#","segment":"""#).code == "VALIDATION_FAILED")
            #expect(try await refused(#","segment":"none""#).code == "NOT_FOUND")
            let nobody = try await refused(#","segment":"strangers""#)
            #expect(nobody.status == 422 && nobody.code == "NO_ELIGIBLE_DEVICE" && nobody.skipped("unknown_user") == 2)
            _ = try await stage.segment("PUT", "empty", "x\n")
            _ = try await stage.segment("DELETE", "empty/users", "x\n")
            #expect(try await refused(#","segment":"empty""#).code == "NO_ELIGIBLE_DEVICE")
            #expect(try await refused(#","segment":null,"insider_ids":["x"]"#).code == "NO_ELIGIBLE_DEVICE")
        }
    }

    @Test("The same Idempotency-Key registers a segment once, also when the second call comes meanwhile")
    func repeated() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await stage.addDevices(3000)
            _ = try await stage.segment("PUT", "fans", TestStage.csv(0..<3000))
            let body = TestStage.segmentBody("fans")
            let key = ["Idempotency-Key": "once"]
            async let one = stage.call("register", body, headers: key)
            async let two = stage.call("register", body, headers: key, gateway: 1)
            let (first, second) = try await (one, two)
            #expect(first.status == 200 && first.text == second.text, "\(first.text) \(second.text)")
            #expect(try await stage.call("register", body, headers: key).text == first.text)
        }
    }

    @Test("A segment that is replaced while it is registered is registered as it was or as it is, whole")
    func replacedMeanwhile() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await stage.addDevices(5000)
            let lists = [TestStage.csv(0..<3000), TestStage.csv(3000..<5000)]
            _ = try await stage.segment("PUT", "fans", lists[0])
            let isDone = Locked(false)
            let replacing = Task {
                var round = 0
                while !isDone.withLock({ $0 }) {
                    round += 1
                    let answer = try await stage.segment("PUT", "fans", lists[round % 2], gateway: 1)
                    try #require(answer.status == 200, "\(answer.text)")
                }
                return round
            }
            var seen: Set<Int64> = []
            for _ in 0..<6 {
                let answer = try await stage.call("register", TestStage.segmentBody("fans"))
                #expect(answer.status == 200 && answer["partial"]?.bool == false, "\(answer.text)")
                seen.insert(answer["registered_users"]?.int64 ?? 0)
            }
            isDone.withLock { $0 = true }
            #expect(try await replacing.value > 1)
            #expect(seen.isSubset(of: [2000, 3000]), "\(seen)")
        }
    }
}
