import Foundation
import Testing

@Suite("The commands of the documents", .serialized)
struct DocumentedCommandTests {
    @Test(
        "The first broadcast of README.md runs as it stands, and the mock's ledger has each push of it",
        .enabled(
            if: DocumentedCommands.hasTools,
            "it needs curl and jq, which make test installs; other suites play the same calls"))
    func firstBroadcast() throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        var documented = try DocumentedCommands(of: "README.md", chapter: "A first broadcast of your own")
        let apns = commands.folder.appending(path: "apns").path
        documented.replace("make build\n", by: "")
        documented.replace("PATH=$PWD/.build/release:$PATH\n", by: "")
        documented.replace("/tmp/apns", by: apns)
        let ports = try documented.replacePorts(["--port 2197", "localhost:8080"])
        documented.append("echo; env | grep ^FANFARE_")
        let result = try documented.run(in: commands.folder, environment: "FANFARE_HTTP_PORT=\(ports[1])")
        // The shell that set up the mock must not keep the mock's key, because a real gateway may follow.
        #expect(result.output.contains("\nFANFARE_HTTP_PORT=\(ports[1])\n"), "\(result.output)")
        #expect(!result.output.contains("FANFARE_APNS_"), "\(result.output)")
        #expect(result.status == 0 || result.status == 143, "\(result.errors)")
        let answers = result.output.components(separatedBy: #"{"status":"success""#).count - 1
        // Device, token, start, sync, update, end; register's goes through jq.
        #expect(answers >= 6, "\(result.output) \(result.errors)")
        #expect(result.output.components(separatedBy: #""sessions_triggered":1"#).count - 1 == 3, "\(result.output)")

        let ledger = try String(contentsOfFile: "\(apns)/ledger.ndjson", encoding: .utf8)
        let lines = try ledger.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        let events = try lines.map { line -> String in
            for field in ["time", "path", "headers", "payload", "status"] { #expect(line[field] != nil, "\(field)") }
            #expect((line["path"] as? String)?.hasPrefix("/3/device/") == true && line["status"] as? Int == 200)
            #expect((line["headers"] as? [String: Any])?["apns-topic"] != nil)
            let payload = try #require((line["payload"] as? String).flatMap { Data(base64Encoded: $0) })
            let object = try #require(try JSONSerialization.jsonObject(with: payload) as? [String: Any])
            return try #require((object["aps"] as? [String: Any])?["event"] as? String)
        }
        #expect(events == ["start", "update", "end"])
    }

    @Test("The commands of docs/backup.md copy a running store and restore it into a persistent Redis")
    func backup() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let (mock, environment) = try await commands.startMock()
        defer { mock.terminate() }
        let (serve, _, _) = try await commands.startGateway(environment)
        defer { serve.terminate() }
        let created = try await commands.run("tenant", "create", "shop", "--json", environment: environment)
        #expect(created.status == 0, "\(created.errors)")
        var documented = try DocumentedCommands(of: "docs/backup.md")
        // The page requires that operators stop all gateways before a restore.
        documented.replace(
            "export FANFARE_REDIS_DATA_DIR=restored",
            by: "kill \(serve.process.processIdentifier); export FANFARE_REDIS_DATA_DIR=restored")
        let settings = environment.map { "\($0.key)='\($0.value)'" }.joined(separator: " ")
        let result = try documented.run(in: commands.folder, environment: settings)
        #expect(result.status == 0, "\(result.output) \(result.errors)")
        #expect(result.output.contains("ok      redis.persistence: passed"), "\(result.output)")
        #expect(result.output.contains("shop"), "\(result.output)")
        let kept = commands.folder.appending(path: "restored/appendonlydir").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: kept).contains { $0.hasSuffix(".manifest") })
    }

    @Test("The map in docs/importing.md fits an export that has its columns")
    func movingIn() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let created = try await commands.run("tenant", "create", "shop")
        #expect(created.status == 0, "\(created.errors)")
        let map = try #require(
            try DocumentedCommands.blocks("yaml", of: "docs/importing.md", chapter: nil).first)
        let export = """
            External ID,Subscription ID,Live Activity token,Device type,Tags
            ann,phone-1,\(String(repeating: "ab", count: 32)),0,vip
            bob,phone-2,fcm:token,1,
            cat,phone-3,,7,

            """
        for (name, text) in [("map.yaml", map), ("export.csv", export)] {
            try text.write(to: commands.folder.appending(path: name), atomically: true, encoding: .utf8)
        }
        let result = try DocumentedCommands(of: "docs/importing.md").run(in: commands.folder)
        #expect(result.output.contains("devices   2: android 1, ios 1; production 2"), "\(result.output)")
        #expect(result.output.contains("1 x platform must be ios or android: line 4"), "\(result.output)")
        #expect(result.status == 0 && result.output.contains("2 devices imported"), "\(result.errors)")
    }

    @Test(
        "The drills run as they stand, and show what they say",
        .enabled(
            if: DocumentedCommands.hasTools,
            "they need curl, jq and openssl, which make test installs; other suites play each bad day"))
    func drills() throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        var documented = try DocumentedCommands(of: "docs/drills.md")
        let ports = try documented.replacePorts(["2197", "6390", "8080"])
        let result = try documented.run(
            in: commands.folder, environment: "FANFARE_HTTP_PORT=\(ports[2]); set -m")
        let lines = result.output.split(separator: "\n").map(String.init)
        var rest = lines[...]
        for expected in [
            // Redis does not answer: readiness, and a start.
            #""code":"STORE_UNAVAILABLE","retry_after":1"#, #""code":"STORE_UNAVAILABLE","retry_after":1"#,
            "the store is full", #"fanfare_redis_refusals_total{kind="oom"}"#,
            #"{"status":"success","sessions_triggered""#,
            #"{"state":"paused","accepted":0}"#, "provider_paused", #"{"state":"done","accepted":1}"#,
            "valid", "refuses the credential: InvalidProviderToken", "doctor failed", "silent",
            #"{"status":"success"}"#, "redis.clock: this machine's clock", #""code":"UNAUTHORIZED""#,
            "fanfare_tenants 0",
            "nothing to copy", "keys restored", #"{"status":"success","sessions_triggered""#,
        ] {
            let found = rest.firstIndex { $0.contains(expected) }
            #expect(found != nil, "\(expected)\n\(result.output)\n\(result.errors)")
            rest = rest[(found.map { $0 + 1 } ?? rest.startIndex)...]
        }
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test(
        "The first hour runs as it stands: a provider in trouble pauses an update, and a start outlives its gateway",
        .enabled(
            if: DocumentedCommands.hasTools,
            "it needs curl and jq, which make test installs; other suites play the same calls"))
    func firstHour() throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        var documented = try DocumentedCommands(of: "docs/first-hour.md")
        documented.replace("demo --devices 2000", by: "demo --devices 100")
        try documented.replacePorts(["2197", "6390", "8080", "8081"])
        let result = try documented.run(in: commands.folder)
        #expect(result.status == 0, "\(result.errors)")
        let output = result.output.filter { !$0.isWhitespace }
        #expect(output.contains(#""pending":1000"#) && output.contains(#""active":1000"#), "\(result.output)")
        #expect(output.contains(#"{"state":"paused","reason":"ServiceUnavailable""#), "\(result.output)")
        #expect(output.contains(#"{"state":"done","accepted":1000,"failed":{},"skipped":{}}"#), "\(result.output)")
        let start = try #require(
            output.firstMatch(of: /"state":"done","total":1000,"accepted":(\d+),"failed":\{(?:"unknown":(\d+))?\}/))
        let unknown = try #require(Int(start.2 ?? "0"))
        #expect(Int(start.1) == 1000 - unknown, "\(result.output)")
        // One connection with forty streams, one run noted ahead, and answers that were not written yet.
        #expect(unknown <= 40 + 124 + 40, "\(unknown)")
        #expect(output.contains(#""type":"broadcast.finished""#), "\(result.output)")
        let pushes = result.output.split(separator: "\n").filter { $0.hasPrefix("fanfare_pushes_total") }
        #expect(pushes.contains { $0.contains(#"outcome="accepted""#) }, "\(result.output)")
        #expect(pushes.allSatisfy { !$0.hasSuffix(" 0") }, "\(pushes)")
    }
}
