import GatewayConfiguration
import Testing

@Suite("What nobody reads")
struct UnknownKeysTests {
    @Test(
        "in the file is an error, with the key that was meant",
        arguments: [
            ("htp.port", "Did you mean http.port?"),
            ("http.prot", "Did you mean http.port?"),
            ("rateLimit.requestsPerMinute", "Did you mean rate_limit.requests_per_minute?"),
            ("apns.ca-file", "Did you mean apns.ca_file?"),
            ("bundle_id", "Did you mean apns.bundle_id?"),
            (
                "weather.forecast",
                "Remove it, or see config/fanfare.yaml (installed: share/doc/fanfare) for valid keys."
            ),
            ("timeout", "Did you mean shutdown.timeout?"),
            ("apps.Sport.key_id", "Name an app in lower-case letters, digits and _, with its keys under it."),
        ])
    func unknownKey(key: String, advice: String) throws {
        let files = try TemporaryFiles()
        let report = try files.examine("# a line\n\(key): s3cr3t\n")
        let problem = try #require(report.errors.first)
        #expect(report.errors.count == 1)
        #expect(problem.key == key)
        #expect(problem.message == "The key does not exist.")
        #expect(problem.advice == advice)
        #expect(problem.source == .file(path: "\(files.directory)/fanfare.yaml", line: 2))
        #expect(!report.problems.description.contains("s3cr3t"))
    }

    @Test("A service link of Kubernetes sets no key, and is a warning if it has the name of one")
    func serviceLinks() throws {
        let files = try TemporaryFiles()
        let report = try files.examine(
            "metrics: {port: 9464}\n",
            [
                "FANFARE_METRICS_PORT": "tcp://10.0.0.1:9464", "FANFARE_METRICS_PORT_9464_TCP": "tcp://10.0.0.1:9464",
                "FANFARE_HTTP_PORT": "UDP://10.0.0.2:80", "FANFARE_PORT": "tcp://10.0.0.3:80",
                "FANFARE_HEALTH_PORT": "sctp:9",
            ])
        #expect(report.errors.map(\.key) == ["health.port"])
        #expect(report.entries.first { $0.key == "metrics.port" }?.value == "9464")
        let links = report.warnings.filter { $0.description.contains("service link") }
        #expect(links.map(\.key) == ["http.port", "metrics.port"])
        #expect(links.allSatisfy { $0.advice == "Set enableServiceLinks: false in the pod's spec." })
        #expect(!report.warnings.contains { $0.description.contains("sets no key") })
    }

    @Test("in the environment is a warning, when it looks like a key")
    func unknownVariables() throws {
        let files = try TemporaryFiles()
        let report = try files.examine(
            "",
            [
                "FANFARE_HTTP_PROT": "1", "FANFARE_LOG_COLOUR_SCHEME": "1", "FANFARE_FUZZ_SECONDS": "1",
                "FANFARE_TEST_SEED": "1", "FANFARE": "1", "HTTP_PROT": "1",
            ])
        #expect(report.errors.isEmpty)
        let found = report.warnings.filter { $0.key == nil }
        #expect(
            found.map(\.description) == [
                "warning: The environment variable FANFARE_HTTP_PROT sets no key. Did you mean FANFARE_HTTP_PORT? "
                    + "(FANFARE_HTTP_PROT)",
                "warning: The environment variable FANFARE_LOG_COLOUR_SCHEME sets no key. "
                    + "Remove it, or see config/fanfare.yaml (installed: share/doc/fanfare) for valid names. (FANFARE_LOG_COLOUR_SCHEME)",
            ])
    }
}
