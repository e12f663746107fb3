import Foundation
import GatewayAPI
import GatewayStore
import LiveActivity
import Logging
import Reactor
import Testing
import TimeCore

@testable import Gateway

@Suite("The audit log", .serialized)
struct AuditTests {
    /// Returns the lines of the file.
    private func lines(_ path: String) -> [JSONValue] {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { try? JSONDocument(parsing: Array($0.utf8)).root }
    }

    @Test(
        "Each change is a line that says who, what, when and from where, and names no user; reads and reports are none")
    func changes() async throws {
        let path = "/tmp/fanfare-audit-\(UniqueID.random()).ndjson"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await TestStage.run(configure: { $0.auditFile = path }) { stage in
            try await stage.addAnna()
            let list = #"{"insider_ids":["\#(Anna.phone.insiderID)"]}"#
            #expect(try await stage.customer("PUT", "segments/vip", list).status == 200)
            #expect(try await stage.customer("GET", "segments/vip").status == 200)
            let body = #"""
                {"activity_type":"\#(TestStage.type)","segment":"vip","ends_at":"\#(stage.endsAt())"}
                """#
            let id = try #require(try await stage.call("register", body)["activity_id"]?.string)
            #expect(try await stage.call("update", TestStage.body(id)).status == 409)
            #expect(try await stage.anna("POST", "sync", #""token":"ab","activity_id":"\#(id)""#).status == 409)
            #expect(try await stage.customer("DELETE", "segments/vip", key: "unknown").status == 401)
            #expect(try await stage.anna("DELETE", "device").status == 200)
            // A removal without effect writes no line.
            #expect(try await stage.anna("DELETE", "device")["removed", "devices"]?.int64 == 0)
            let headers = ["X-Api-Key": stage.tenant.apiKey, "X-Request-Id": "request-7"]
            #expect(try await stage.send("DELETE", "/api/v1/\(Anna.path)", nil, headers: headers).status == 200)
            try await stage.eventually("the lines do not come") { self.lines(path).count == 5 }
            let lines = lines(path)
            let actions = [
                "PUT /api/v1/segments/{name}", "POST /api/v1/live-activity/register",
                "POST /api/v1/live-activity/update", "DELETE /api/v1/sdk/device", "DELETE /api/v1/users/{insider_id}",
            ]
            #expect(lines.map { $0.text("action") } == actions)
            let user = AuditRecord.pseudonym(Anna.phone.insiderID)
            let device = "\(user)/\(AuditRecord.pseudonym(Anna.phone.udid))"
            #expect(lines.map { $0.text("object") } == ["vip", id, id, device, user])
            #expect(lines.map { (try? $0.member("status"))?.int64 } == [200, 200, 409, 200, 200])
            #expect(lines[2].text("code") == "NOT_STARTED" && lines[4].text("request_id") == "request-7")
            for line in lines {
                #expect(line.text("tenant_id") == stage.tenant.tenantID && line.text("address") == "127.0.0.1")
                #expect(line.text("actor")?.utf8.count == 8)
            }
            #expect(lines.map { $0.text("actor_kind") } == ["api_key", "api_key", "api_key", "sdk_key", "api_key"])
            #expect(Set(lines.map { $0.text("actor") }).count == 2)
            let file = try String(contentsOfFile: path, encoding: .utf8)
            for secret in [Anna.phone.insiderID, Anna.phone.udid, stage.tenant.apiKey, stage.tenant.sdkKey] {
                #expect(!file.contains(secret))
            }
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            // The log creates a new file after the old one was moved.
            try FileManager.default.moveItem(atPath: path, toPath: "\(path).1")
            defer { try? FileManager.default.removeItem(atPath: "\(path).1") }
            #expect(try await stage.customer("DELETE", "segments/vip").status == 200)
            try await stage.eventually("it is not opened anew") { self.lines(path).count == 1 }
        }
    }

    @Test("Without a file the line of a customer's request has it; what an app has erased has a line of its own")
    func withoutFile() async throws {
        let log = CapturedLog()
        try await TestStage.run(logger: log.logger(.info)) { stage in
            try await stage.addAnna()
            #expect(try await stage.customer("PUT", "segments/vip", #"{"insider_ids":["ann"]}"#).status == 200)
            #expect(try await stage.customer("GET", "segments/vip").status == 200)
            #expect(try await stage.anna("DELETE", "device").status == 200)
            let lines = try log.read()
            let requests = lines.filter { $0.message == "request" && $0.metadata["route"] == "/api/v1/segments/{name}" }
            try #require(requests.map { $0.metadata["method"] } == ["PUT", "GET"])
            let (change, read) = (requests[0].metadata, requests[1].metadata)
            #expect(change["object"] == "vip" && change["address"] == "127.0.0.1" && change["status"] == "200")
            #expect(change["actor"]?.utf8.count == 8 && change["tenant"] == stage.tenant.tenantID)
            #expect(read["actor"] == nil && read["object"] == nil && read["address"] == nil)
            let others = lines.filter { $0.message == "audit" }.compactMap { $0.metadata["record"] }
            #expect(others.count == 1 && others.first?.contains("DELETE /api/v1/sdk/device") == true, "\(others)")
        }
    }

    @Test("A file that cannot be written fails no call: it is counted, and said in the log")
    func fullDisk() async throws {
        // Every write to this device fails, as on a full disk.
        let log = CapturedLog()
        try await TestStage.run(logger: log.logger(.warning), configure: { $0.auditFile = "/dev/full" }) { stage in
            for _ in 0..<3 {
                #expect(try await stage.customer("PUT", "segments/vip", #"{"insider_ids":["ann"]}"#).status == 200)
            }
            try await stage.eventually("it is not counted") {
                let page = try await stage.send("GET", "/metrics", nil, headers: [:]).text
                return page.contains(#"fanfare_audit_records_total{result="failed"} 3"#)
            }
            try await hang(stage)
            #expect(log.lines.count { $0.contains("audit log write failed") } == 1)
        }
    }

    @Test("A file that cannot be opened is told of when the gateway starts")
    func unopened() async throws {
        let log = CapturedLog()
        try await TestStage.run(logger: log.logger(.warning), configure: { $0.auditFile = "/no/such/folder/audit" }) {
            _ in
            let told = try log.read().filter { $0.metadata["file"] == "/no/such/folder/audit" }
            #expect(told.count == 1 && told.first?.metadata["reason"] == "No such file or directory")
        }
    }

    @Test("Only what root makes in another user's folder is given away")
    func givenAway() {
        #expect(AuditFile.isGivenAway(by: 0, toOwnerOfDirectory: 1000))
        for (user, owner) in [(0, 0), (1000, 0), (1000, 1000), (1000, 1001)] as [(uid_t, uid_t)] {
            #expect(!AuditFile.isGivenAway(by: user, toOwnerOfDirectory: owner), "\(user) in \(owner)'s")
        }
    }

    @Test(
        "A file that root makes in another user's folder is that user's; one that is there stays as it is",
        .enabled(if: geteuid() == 0, "only root gives files away; whose a file is to be is tested by itself"))
    func owner() async throws {
        let folder = "/tmp/fanfare-audit-\(UniqueID.random())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try #require(chown(folder, 65_534, 65_533) == 0)
        func owner(_ name: String) throws -> [Int?] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            return [.ownerAccountID, .groupOwnerAccountID, .posixPermissions].map { attributes[$0] as? Int }
        }
        #expect(await AuditFile(path: "\(folder)/new").append(Array("{}\n".utf8)) == nil)
        #expect(try owner("new") == [65_534, 65_533, 0o600])
        #expect(FileManager.default.createFile(atPath: "\(folder)/old", contents: nil))
        #expect(chown("\(folder)/old", 0, 0) == 0 && chmod("\(folder)/old", 0o640) == 0)
        #expect(await AuditFile(path: "\(folder)/old").append(Array("{}\n".utf8)) == nil)
        #expect(try owner("old") == [0, 0, 0o640])
    }

    @Test("A line that a full disk has cut off does not spoil the one behind it, and a new file is found")
    func cutOff() async throws {
        let path = "/tmp/fanfare-audit-\(UniqueID.random()).ndjson"
        defer { try? FileManager.default.removeItem(atPath: path) }
        // The disk has room for eight bytes.
        let room = Locked(8)
        let file = AuditFile(path: path) { descriptor, bytes in
            let most = room.withLock { $0 }
            guard most > 0 else {
                errno = ENOSPC
                return -1
            }
            let count = write(descriptor, bytes.baseAddress, min(bytes.count, most))
            room.withLock { $0 -= count }
            return count
        }
        #expect(await file.append(Array("one\n".utf8)) == nil)
        for _ in 0..<2 { #expect(await file.append(Array("two and more\n".utf8)) == "No space left on device") }
        room.withLock { $0 = 100 }
        for line in ["three\n", "four\n"] { #expect(await file.append(Array(line.utf8)) == nil) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "one\ntwo \nthree\nfour\n")
        // Log rotation moves the file and creates a new one.
        try FileManager.default.moveItem(atPath: path, toPath: "\(path).1")
        defer { try? FileManager.default.removeItem(atPath: "\(path).1") }
        try Data().write(to: URL(filePath: path))
        #expect(await file.append(Array("five\n".utf8)) == nil)
        let fresh = try String(contentsOfFile: path, encoding: .utf8)
        #expect(fresh == "five\n")
    }

    /// Uses a pipe without a reader as a disk that hangs. Recording continues, and records without room are counted.
    private func hang(_ stage: TestStage) async throws {
        let path = "\(stage.directory)/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        let audit = AuditLog(
            file: AuditFile(path: path), store: stage.store, logger: TestStage.silent, capacity: 2)
        let record = AuditRecord(
            time: .now(), tenantID: nil, actor: .operatorNamed("ops"), action: "tenant create", status: 200)
        for _ in 0..<5 { audit.record(record) }
        let dropped = audit.counts.dropped
        #expect((2...3).contains(dropped))
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        await audit.stop()
        #expect(audit.counts.written == 5 - dropped && audit.counts.dropped == dropped)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(reader, &bytes, bytes.count)
        #expect(count == (5 - dropped) * record.line.count)
        audit.record(record)
        #expect(audit.counts.dropped == dropped + 1)
    }

    @Test("A tenant that asks for it is told of changes as events, and no other tenant is")
    func events() async throws {
        try await TestStage.run { stage in
            #expect(try await stage.customer("GET", "events/settings")["audit"]?.bool == false)
            #expect(try await stage.customer("PUT", "events/settings", #"{"stream":true}"#).status == 200)
            #expect(try await stage.customer("PUT", "segments/vip", #"{"insider_ids":["ann"]}"#).status == 200)
            let on = try await stage.customer("PUT", "events/settings", #"{"audit":true}"#)
            #expect(on["audit"]?.bool == true && on["stream"]?.bool == true, "\(on.text)")
            #expect(try await stage.customer("PUT", "events/settings", "{}").code == "REQUEST_INVALID")
            let other = try await stage.store.tenants.createTenant(name: "other", tier: .growth)
            #expect(
                try await stage.customer("PUT", "events/settings", #"{"stream":true}"#, key: other.apiKey).status == 200
            )
            #expect(try await stage.customer("DELETE", "segments/none", key: other.apiKey).status == 404)
            #expect(try await stage.customer("DELETE", "segments/vip").status == 200)
            let seen = try await stage.events { !$0.of("audit.recorded").filter { $0.text("object") == "vip" }.isEmpty }
            let told = try #require(seen.of("audit.recorded").last)
            #expect(told.text("action") == "DELETE /api/v1/segments/{name}" && told.number("status") == 200)
            #expect(told.text("address") == "127.0.0.1" && told.text("actor_kind") == "api_key")
            #expect(seen.of("audit.recorded").count { $0.text("action") == "PUT /api/v1/segments/{name}" } == 0)
            #expect(try await stage.events(key: other.apiKey).isEmpty)
        }
    }
}
