import Glibc
import LiveActivity
import MockAPNs
import TestHTTP2Client
import Testing
import TimeCore

@Suite("Ledger, counts and files")
struct LedgerTests {
    @Test("An entry holds what was sent, in order, and what was answered")
    func entry() async throws {
        let mock = try TestMock()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let before = UInt64(time(nil)) * 1_000
        var request = try mock.push("AB01", event: "start").with("apns-id", "123e4567-e89b-12d3-a456-42665544000a")
        request.headers.append(("x-other", "value"))
        #expect(await client.send(request).status == 200)
        let entry = try #require(mock.mock.ledgerEntries().first)
        let pseudo = [":method", ":scheme", ":authority", ":path"]
        #expect(entry.headers.map(\.name) == pseudo + request.headers.map(\.0))
        #expect(entry.headers.dropFirst(4).map(\.value) == request.headers.map(\.1))
        #expect(entry.path == "/3/device/AB01")
        #expect(entry.token == "ab01")
        #expect(entry.payload == request.body)
        #expect(entry.event == .start)
        #expect(entry.answer == .answered(status: 200, reason: nil))
        #expect(entry.answerWasSent)
        #expect((before...before + 60_000).contains(entry.time))
        #expect(entry.connection == 1)
        #expect(entry.stream == 1)
    }

    @Test("Pushes are tallied by token and event")
    func tallies() async throws {
        let mock = try TestMock()
        var script = MockScript()
        script.rules = [MockRule(.init(tokens: ["02"]), .answer(status: 410, reason: "Unregistered"))]
        mock.mock.setScript(script)
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let sent = [("01", "start"), ("01", "update"), ("02", "start"), ("01", "update"), ("03", "end")]
        _ = await client.send(try sent.map { try mock.push($0.0, event: $0.1) })
        #expect(mock.mock.occurrences() == ["01": 3, "02": 1, "03": 1])
        #expect(mock.mock.occurrences(of: .update) == ["01": 2])
        #expect(mock.mock.acceptedByToken() == ["01": 3, "03": 1])
        #expect(mock.mock.acceptedByToken(.start) == ["01": 1])
    }

    @Test("The ledger's file has a line of JSON for each push")
    func file() async throws {
        let mock = try TestMock()
        var script = MockScript()
        script.rules = [
            MockRule(.init(tokens: ["02"]), .silence), MockRule(.init(tokens: ["03"]), .reset(code: 7)),
        ]
        mock.mock.setScript(script)
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let request = try mock.push("01").with(body: "?>~ \u{1F600}")
        #expect(await client.send(request).status == 400)
        let silenced = Task { await client.send(try mock.push("02")) }
        #expect(await mock.mock.waitFor(pushes: 2, timeout: deadline))
        #expect(await client.send(try mock.push("03")) == .reset(code: 7))
        let path = mock.mock.options.directory + "/ledger.ndjson"
        try mock.mock.writeLedger(to: path)
        let lines = try contents(path).split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == 3)
        let first = try JSONDocument(parsing: Array(lines[0])).root
        #expect(try first.member("path")?.string == "/3/device/01")
        #expect(try first.member("status")?.int64 == 400)
        #expect(try first.member("reason")?.string == "BadPayload")
        #expect(try first.member("payload")?.string == "Pz5+IPCfmIA=")
        #expect(try first.member("time")?.int64 != nil)
        #expect(try first.member("headers")?.member("apns-push-type")?.string == "liveactivity")
        #expect(try first.member("headers")?.member("authorization")?.string == request.headers[0].1)
        let second = try JSONDocument(parsing: Array(lines[1])).root
        #expect(try second.member("status") == nil && second.member("reset") == nil)
        let third = try JSONDocument(parsing: Array(lines[2])).root
        #expect(try third.member("status") == nil)
        #expect(try third.member("reset")?.int64 == 7)
        silenced.cancel()
    }

    @Test("Without a ledger pushes are only counted, and a full one counts what it drops")
    func bounds() async throws {
        let counting = try TestMock { $0.ledger = .counts }
        let small = try TestMock { $0.maximumLedgerEntries = 2 }
        for mock in [counting, small] {
            let client = try await TestClient.connect(to: mock)
            _ = await client.send(try (0..<5).map { _ in try mock.push() })
            client.stop()
            #expect(mock.mock.counts().accepted == 5)
        }
        #expect(counting.mock.ledgerEntries().isEmpty)
        #expect(counting.mock.counts().ledgerEntriesDropped == 0)
        #expect(small.mock.ledgerEntries().count == 2)
        #expect(small.mock.counts().ledgerEntriesDropped == 3)
    }

    @Test("Waiting ends with the condition, the deadline, or the mock")
    func waiting() async throws {
        let mock = try TestMock()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        async let two = mock.mock.waitFor(pushes: 2, timeout: deadline)
        _ = await client.send([try mock.push(), try mock.push()])
        #expect(await two)
        #expect(await mock.mock.waitFor(pushes: 2, timeout: .zero))
        #expect(await !mock.mock.waitFor(pushes: 3, timeout: .milliseconds(20)))
        async let three = mock.mock.waitFor(pushes: 3, timeout: deadline)
        mock.mock.stop()
        #expect(await !three)
        #expect(await !mock.mock.waitFor(pushes: 3, timeout: deadline))
        mock.mock.setScript(MockScript())
        mock.mock.stop()
    }

    @Test("A directory's keys are made once, kept private, and used again")
    func directory() async throws {
        let first = try TestMock()
        let directory = first.mock.options.directory
        let names = ["ca.pem", "server.pem", "server-key.pem", "key.p8"]
        let before = try names.map { try contents("\(directory)/\($0)") }
        for name in ["key.p8", "server-key.pem"] {
            var status = stat()
            #expect(stat("\(directory)/\(name)", &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
        let key = String(decoding: try contents(first.mock.keyFile), as: UTF8.self)
        #expect(key.hasPrefix("-----BEGIN PRIVATE KEY-----"))
        var options = MockAPNs.Options(directory: directory)
        options.bundleID = "com.example.second"
        let second = try MockAPNs.start(options)
        defer { second.stop() }
        #expect(try names.map { try contents("\(directory)/\($0)") } == before)
        let settings = String(decoding: try contents("\(directory)/apns.env"), as: UTF8.self)
        #expect(
            settings == """
                FANFARE_APNS_URL=https://localhost:\(second.port)
                FANFARE_APNS_SANDBOX_URL=https://localhost:\(second.port)
                FANFARE_APNS_CHANNEL_MANAGEMENT_URL=\(second.channelsURL)
                FANFARE_APNS_SANDBOX_CHANNEL_MANAGEMENT_URL=\(second.channelsURL)
                FANFARE_APNS_CA_FILE=\(directory)/ca.pem
                FANFARE_APNS_KEY_FILE=\(directory)/key.p8
                FANFARE_APNS_KEY_ID=FANFAREKEY
                FANFARE_APNS_TEAM_ID=FANFARETM1
                FANFARE_APNS_BUNDLE_ID=com.example.second

                """)
        #expect(String(decoding: try contents("\(directory)/bundle_id"), as: UTF8.self) == "com.example.second\n")
    }

    @Test("A key that is none, an address that is none, a port that is taken: starting says so")
    func failingStarts() throws {
        let mock = try TestMock()
        var options = MockAPNs.Options(directory: mock.mock.options.directory)
        options.port = mock.mock.port
        #expect(throws: (any Error).self) { try MockAPNs.start(options) }
        options.port = 0
        options.host = "nowhere"
        #expect(throws: (any Error).self) { try MockAPNs.start(options) }
        options.host = "127.0.0.1"
        options.directory = try TestMock.makeDirectory()
        defer { TestMock.removeDirectory(options.directory) }
        let descriptor = open(options.directory + "/key.p8", O_CREAT | O_WRONLY, 0o600)
        close(descriptor)
        #expect(throws: MockError.self) { try MockAPNs.start(options) }
    }

    private func contents(_ path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        let count = read(descriptor, &buffer, buffer.count)
        return Array(buffer[..<max(0, count)])
    }
}
