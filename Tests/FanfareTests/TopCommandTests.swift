import Foundation
import Testing

@Suite("fanfare top")
struct TopCommandTests {
    /// Answers with page after page, the last one again and again, and names its port in a file.
    private static let server = """
        import http.server, pathlib, sys
        pages = [pathlib.Path(name).read_bytes() for name in sys.argv[2:]]
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                page = pages.pop(0) if len(pages) > 1 else pages[0]
                self.send_response(200 if self.path == "/metrics" else 404)
                self.send_header("Content-Length", str(len(page)))
                self.end_headers()
                self.wfile.write(page)
            def log_message(self, *_): pass
        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        pathlib.Path(sys.argv[1]).write_text(str(server.server_port))
        server.serve_forever()
        """

    private static func page(accepted: Int, refused: Int, slow: Int, paused: Int, stops: Int) -> String {
        """
        # HELP fanfare_pushes_total a
        # TYPE fanfare_pushes_total counter
        fanfare_pushes_total{event="start",outcome="accepted",reason=""} \(accepted)
        fanfare_pushes_total{event="start",outcome="rejected",reason="BadDeviceToken"} \(refused)
        # HELP fanfare_push_answer_duration_seconds a
        # TYPE fanfare_push_answer_duration_seconds histogram
        fanfare_push_answer_duration_seconds_bucket{le="0.05"} \(accepted)
        fanfare_push_answer_duration_seconds_bucket{le="0.5"} \(accepted + slow)
        fanfare_push_answer_duration_seconds_bucket{le="+Inf"} \(accepted + slow)
        fanfare_push_answer_duration_seconds_sum 1
        fanfare_push_answer_duration_seconds_count \(accepted + slow)
        # HELP fanfare_push_paused a
        # TYPE fanfare_push_paused gauge
        fanfare_push_paused{provider="apns",reason="no_answer"} \(paused)
        # HELP fanfare_broadcast_stops_total a
        # TYPE fanfare_broadcast_stops_total counter
        fanfare_broadcast_stops_total{reason="BadTopic"} \(stops)
        # HELP fanfare_broadcasts_unfinished a
        # TYPE fanfare_broadcasts_unfinished gauge
        fanfare_broadcasts_unfinished 3
        # HELP fanfare_redis_up a
        # TYPE fanfare_redis_up gauge
        fanfare_redis_up 1

        """
    }

    /// A process that answers with the pages, and its address.
    private func serve(_ pages: [String], _ name: String, _ commands: CommandLine) async throws -> (Process, String) {
        let file = commands.folder.appending(path: "\(name).port").path
        let names = try pages.enumerated().map { index, page in
            let path = commands.folder.appending(path: "\(name)-\(index)").path
            try page.write(toFile: path, atomically: true, encoding: .utf8)
            return path
        }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.server, file] + names
        try process.run()
        let end = ContinuousClock.now + .seconds(30)
        while true {
            if let port = try? String(contentsOfFile: file, encoding: .utf8), !port.isEmpty {
                return (process, "127.0.0.1:\(port)")
            }
            try #require(ContinuousClock.now < end && process.isRunning)
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test("Rates, what is now, and what has to be looked at, of each gateway and of all")
    func sums() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let (first, one) = try await serve(
            [
                Self.page(accepted: 1000, refused: 5, slow: 100, paused: 0, stops: 2),
                Self.page(accepted: 1990, refused: 15, slow: 110, paused: 1, stops: 2),
            ], "one", commands)
        defer { first.end() }
        // This gateway has restarted between the readings.
        let (second, other) = try await serve(
            [
                Self.page(accepted: 9000, refused: 0, slow: 0, paused: 0, stops: 0),
                Self.page(accepted: 100, refused: 0, slow: 0, paused: 0, stops: 1),
            ], "other", commands)
        defer { second.end() }
        let result = try await commands.run("top", "http://\(one)", other, "--once", "--interval", "1", "--json")
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.output)\(result.errors)")
        let root = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        let gateways = try #require(root["gateways"] as? [[String: Any]])
        let all = try #require(root["all"] as? [String: Any])
        #expect(gateways.map { $0["name"] as? String } == [one, other])
        func ratio(_ object: [String: Any], _ name: String, _ base: String) -> Double {
            (object[name] as? Double ?? -1) / (object[base] as? Double ?? 1)
        }
        // However long the interval was: 990 to 10, and 1,090 to 10.
        #expect(abs(ratio(gateways[0], "pushes_accepted_per_second", "pushes_refused_per_second") - 99) < 0.01)
        let rate = try #require(gateways[0]["pushes_accepted_per_second"] as? Double)
        #expect(rate > 100 && rate < 1100, "\(rate)")
        let others = try #require(gateways[1]["pushes_accepted_per_second"] as? Double)
        #expect(others > 10 && others < 110, "\(others)")
        // 990 of 1,000 within 50 ms; of the other one the buckets have shrunk.
        #expect(gateways[0]["push_answer_p99_seconds"] as? Double == 0.05)
        #expect(gateways[1]["push_answer_p99_seconds"] == nil)
        #expect(all["broadcasts_unfinished"] as? Double == 3)
        #expect(gateways[0]["troubles"] as? [String] == ["pushes paused: apns, no_answer"])
        #expect(all["troubles"] as? [String] == ["broadcasts stopped: BadTopic", "pushes paused: apns, no_answer"])
    }

    @Test("A page may say anything: what is no number, no end, or no text for a terminal")
    func odd() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let names = ["fanfare_pushes_in_flight", "process_resident_memory_bytes", "fanfare_broadcast_lag_seconds"]
        let lines = zip(names, ["NaN", "+Inf", "-Inf"]).map { "# HELP \($0) a\n# TYPE \($0) gauge\n\($0) \($1)\n" }
        let paused =
            "# HELP fanfare_push_paused a\n# TYPE fanfare_push_paused gauge\n"
            + "fanfare_push_paused{provider=\"\u{1B}[31mred\",reason=\"x\"} 1\n"
        let (server, address) = try await serve([lines.joined() + paused], "odd", commands)
        defer { server.end() }
        for words in [[], ["--json"]] {
            let result = try await commands.start(["top", address, "--once", "--interval", "0.2"] + words).ended()
            #expect(result.status == 0 && result.output.contains("red"), "\(result.output)\(result.errors)")
            #expect(!result.output.contains("\u{1B}"))
        }
    }

    @Test("Of a gateway that is not reached there are no numbers, on the screen and in JSON")
    func unreached() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let text = try await commands.run("top", "127.0.0.1:9", "--once", "--interval", "0.2")
        #expect(text.status == 1 && text.output.contains("! 127.0.0.1:9: not reached: Connection refused\n"))
        let lines = text.output.split(separator: "\n").filter { !$0.hasPrefix("!") }.dropFirst(2)
        #expect(lines.count > 20 && lines.allSatisfy { $0.hasSuffix(" -") }, "\(text.output)")
        let (server, address) = try await serve(
            [Self.page(accepted: 1, refused: 0, slow: 0, paused: 0, stops: 0)], "there", commands)
        defer { server.end() }
        for (others, reached) in [([], 0), ([address], 1)] {
            let words = ["top", "127.0.0.1:9"] + others + ["--once", "--interval", "0.2", "--json"]
            let result = try await commands.start(words).ended()
            let root = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
            let gateway = try #require((root["gateways"] as? [[String: Any]])?.first)
            #expect(Set(gateway.keys) == ["name", "reached", "unread"] && gateway["reached"] as? Bool == false)
            let all = try #require(root["all"] as? [String: Any])
            #expect(all["gateways_reached"] as? Int == reached)
            #expect((all["broadcasts_unfinished"] as? Double) == (reached == 0 ? nil : 3))
        }
    }

    @Test("A reading of a gateway that hangs ends within five seconds")
    func hanging() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let (server, address) = try await serve(
            [Self.page(accepted: 1, refused: 0, slow: 0, paused: 0, stops: 0)], "hanging", commands)
        defer { server.end() }
        kill(server.processIdentifier, SIGSTOP)
        let began = ContinuousClock.now
        let result = try await commands.run("top", address, "--once")
        #expect(ContinuousClock.now - began < .seconds(5))
        #expect(result.status == 1 && result.output.contains("no answer in time"), "\(result.output)")
    }

    @Test("A gateway that does not answer, or answers with something else, is named, and the others are shown")
    func silent() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let (mock, environment) = try await commands.startMock()
        defer { mock.terminate() }
        let (serve, _, port) = try await commands.startGateway(environment)
        defer { serve.terminate() }
        let result = try await commands.run(
            "top", "http://127.0.0.1:\(port)", "http://127.0.0.1:\(port)/health/live", "127.0.0.1:9", "--once",
            "--interval", "0.5",
            environment: environment)
        #expect(result.status == 1)
        for line in [
            "1 of 3", "pushes accepted", "Redis commands", "! 127.0.0.1:9: not reached: Connection refused\n",
            "! 127.0.0.1:\(port): the answer of http://127.0.0.1:\(port)/health/live is not a metrics page",
        ] {
            #expect(result.output.contains(line), "\(line)\n\(result.output)")
        }
        // The gateway of the configuration, whose port is known.
        var known = environment
        known["FANFARE_HTTP_PORT"] = port
        let own = try await commands.run("top", "--once", "--interval", "0.5", environment: known)
        #expect(own.status == 0 && own.output.contains("127.0.0.1:\(port)"), "\(own.output)\(own.errors)")
        for words in [["top", "ftp://x"], ["top", "--interval", "0"]] {
            let refused = try await commands.start(words, environment: known).ended()
            #expect(refused.status != 0 && !refused.errors.isEmpty, "\(words)")
        }
    }
}
