import GatewayConfiguration
import Testing

@Suite("A value that is refused")
struct WrongValuesTests {
    @Test(
        "is named with what was found and what to do",
        arguments: [
            ("http.host", "http://localhost", "\"http://localhost\" is not a host."),
            ("http.host", "localhost:80", "\"localhost:80\" is not a host."),
            ("http.port", "many", "\"many\" is not a port number."),
            ("http.port", "65536", "\"65536\" is out of range."),
            ("http.port", "-1", "\"-1\" is out of range."),
            ("http.port", "80.5", "\"80.5\" is not a port number."),
            ("http.max_body_bytes", "12", "\"12\" is out of range."),
            ("http.body_timeout", "0", "\"0\" is out of range."),
            ("http.body_timeout", "soon", "\"soon\" is not a duration."),
            ("redis.command_timeout", "3d", "\"3d\" is not a duration."),
            ("redis.url", "redissl://:passw0rd@h", "\"redissl://…\" has a scheme that is not supported."),
            ("redis.url", "http://:passw0rd@h", "\"http://…\" has a scheme that is not supported."),
            ("redis.url", "passw0rd@h", "The value, which is not shown here, is not a Redis URL."),
            (
                "redis.url", "redis://h:65536",
                "\"redis://…\" is unusable: its port is not a number from 1 to 65535."
            ),
            (
                "redis.url", "redis://h:6399,i:6379",
                "\"redis://…\" is unusable: its host has a comma; each of several places is a URL of its own."
            ),
            ("redis.url", "redis://:passw0rd@h/first", "\"redis://…\" is unusable: its database is not a number."),
            (
                "redis.url", "rediss://a,redis://b",
                "\"rediss://…\" is unusable: some of its parts begin with rediss://, and others do not."
            ),
            ("apns.url", "http://localhost", "\"http://localhost\" is not encrypted."),
            ("apns.url", "https://u:passw0rd@h/x", "\"https://***@h/x\" is not a URL of a push service."),
            ("apns.url", "https://h:0", "\"https://h:0\" is not a URL of a push service."),
            ("apns.proxy", "https://u:passw0rd@h:1", "\"https://…\" does not start with http://."),
            ("apns.proxy", "http://u:passw0rd@h", "\"http://…\" has no port from 1 to 65535."),
            ("apns.proxy", "http://passw0rd@h:1", "\"http://…\" has a malformed user or password."),
            ("apns.proxy", "http://u:passw0rd@h:1/x", "\"http://…\" has more than a host and a port."),
            ("apns.ping_interval", "900ms", "\"900ms\" is out of range."),
            ("apns.idle_timeout", "never", "\"never\" is not a duration or off."),
            ("fcm.url", "https://h/v1", "\"https://h/v1\" is not a URL of a push service."),
            ("fcm.token_url", "http://h/t", "\"http://h/t\" is not encrypted."),
            ("fcm.token_url", "https:///t", "\"https:///t\" is not a URL of a token endpoint."),
            ("fcm.token_url", "https://u:passw0rd@h/t", "\"https://***@h/t\" is not a URL of a token endpoint."),
            ("fcm.messages_per_minute", "59", "\"59\" is out of range."),
            ("fcm.ramp_up", "2h", "\"2h\" is out of range."),
            ("fcm.collapse_updates", "yes", "\"yes\" is not true or false."),
            ("apns.key_id", "A B", "\"A B\" is not an identifier."),
            ("apns.connections", "0", "\"0\" is out of range."),
            ("apns.broadcast_capability", "maybe", "\"maybe\" is not true or false."),
            ("apns.channel_management_url", "http://m", "\"http://m\" is not encrypted."),
            ("apns.sandbox_broadcast_url", "https://b/4", "\"https://b/4\" is not a URL of a push service."),
            ("apns.channel_threshold", "0", "\"0\" is out of range."),
            ("apns.channel_pool", "101", "\"101\" is out of range."),
            ("apns.channel_grace", "25h", "\"25h\" is out of range."),
            ("rate_limit.requests_per_minute", "0", "\"0\" is out of range."),
            ("register.max_insider_ids", "1e4", "\"1e4\" is not a number of ids."),
            ("activity.lifetime", "never", "\"never\" is not a duration or off."),
            ("activity.lifetime", "30s", "\"30s\" is out of range."),
            ("tenants.required_tier", "gold", "\"gold\" is not a tier."),
            ("events.stream_length", "99", "\"99\" is out of range."),
            ("events.max_webhooks", "0", "\"0\" is out of range."),
            ("events.max_pending", "few", "\"few\" is not a number of events."),
            ("events.max_dead_letters", "1", "\"1\" is out of range."),
            ("events.dead_letter_lifetime", "1m", "\"1m\" is out of range."),
            ("events.receiver_timeout", "61s", "\"61s\" is out of range."),
            ("events.allow_private_receivers", "maybe", "\"maybe\" is not true or false."),
            ("events.allow_plain_http", "1", "\"1\" is not true or false."),
            ("log.level", "loud", "\"loud\" is not a log level."),
            ("log.format", "xml", "\"xml\" is not a log format."),
            ("shutdown.timeout", "31s", "\"31s\" is out of range."),
        ])
    func refused(key: String, text: String, message: String) throws {
        let files = try TemporaryFiles()
        let variable = "FANFARE_" + key.uppercased().split(separator: ".").joined(separator: "_")
        for (report, source) in [
            (try files.examine("\(key): \"\(text)\"\n"), "\(files.directory)/fanfare.yaml:1"),
            (try files.examine("", [variable: text]), variable),
        ] {
            let problem = try #require(report.problems(of: key).first)
            #expect(problem.severity == .error)
            #expect(problem.message == message)
            #expect(problem.advice.hasSuffix("."))
            #expect(problem.description == "error: \(key): \(message) \(problem.advice) (\(source))")
            #expect(!report.problems.description.contains("passw0rd"))
            #expect(throws: ConfigurationProblems.self) { try report.checked() }
            #expect(report[key]?.source == .defaultValue)
        }
    }

    @Test("does not keep the others from being reported")
    func allAtOnce() throws {
        let files = try TemporaryFiles()
        let report = try files.examine(
            "http: {port: x}\nlog: {level: y}\nlgo: 1\n",
            ["FANFARE_SHUTDOWN_TIMEOUT": "z", "FANFARE_APNS_CA_FILE": "/no/such/file"])
        let thrown = #expect(throws: ConfigurationProblems.self) { try report.checked() }
        let keys = thrown?.problems.filter { $0.severity == .error }.compactMap(\.key)
        #expect(keys == ["http.port", "log.level", "shutdown.timeout", "lgo", "apns.ca_file"])
        let warnings = thrown?.problems.drop { $0.severity == .error }
        #expect(warnings?.allSatisfy { $0.severity == .warning } == true)
        #expect(thrown?.description.split(separator: "\n").count == thrown?.problems.count)
    }

    @Test("because it is a list, a group or a lone value says so")
    func shapes() throws {
        let files = try TemporaryFiles()
        let report = try files.examine("http: {port: [1, 2], host: {a: b}}\nlog: info\n")
        #expect(report.problems(of: "http.port").map(\.message) == ["The key needs a single value, not a list."])
        #expect(
            report.problems(of: "http.host.a").map(\.message) == ["The key above this one has a single value."])
        #expect(report.problems(of: "log").map(\.advice) == ["Its keys are log.level, log.format."])
    }

    @Test("is never shown when it is a pasted key, and control characters are not passed on")
    func hidden() throws {
        let files = try TemporaryFiles()
        let pasted = try files.examine("", ["FANFARE_APNS_KEY_FILE": "-----BEGIN PRIVATE KEY-----\nMIGH"])
        #expect(
            pasted.problems(of: "apns.key_file").first?.message
                == "The value, which is not shown here, is not a path.")
        #expect(!pasted.problems.description.contains("MIGH"))
        let escape = try files.examine("", ["FANFARE_LOG_LEVEL": "\u{1B}[31mred"])
        #expect(escape.errors.map(\.message) == ["\"\u{FFFD}[31mred\" is not a log level."])
    }

    @Test("Origins are such as browsers send them, or one star")
    func origins() throws {
        let files = try TemporaryFiles()
        for good in ["\"*\"", "https://a.example", "http://localhost:3000, https://[::1]:8443"] {
            let report = try files.examine("http: {cors_origins: [\(good)]}")
            #expect(report.problems(of: "http.cors_origins").isEmpty, "\(good)")
        }
        for bad in [
            "https://a.example/", "https://A.example", "a.example", "null", "https://a.example:0", "ftp://a",
            "https://a:b",
        ] {
            let report = try files.examine("http: {cors_origins: [\"\(bad)\"]}")
            #expect(report.problems(of: "http.cors_origins").map(\.message) == ["\"\(bad)\" is not an origin."])
        }
        let both = try files.examine("http: {cors_origins: [\"*\", \"https://a.example\"]}")
        #expect(both.problems(of: "http.cors_origins").map(\.message) == ["The list has * and other origins."])
    }

    @Test("among proxies names what is not an address or CIDR block, and a protocol that nobody may speak")
    func proxies() throws {
        let files = try TemporaryFiles()
        let report = try files.examine("http: {trusted_proxies: [10.0.0.0/33]}")
        #expect(
            report.problems(of: "http.trusted_proxies").map(\.message) == [
                "\"10.0.0.0/33\" is not an address or CIDR block."
            ])
        let alone = try files.examine("http: {proxy_protocol: true}")
        #expect(
            alone.problems(of: "http.proxy_protocol").map(\.message) == [
                "The PROXY protocol is on, but no proxy is trusted."
            ])
    }

    @Test("of connections warns when files cannot be opened for them")
    func descriptors() throws {
        let files = try TemporaryFiles()
        func warnings(_ text: String, limit: Int) throws -> [String] {
            let file = try files.write("limits.yaml", text)
            return GatewayConfiguration.examine(file: file, environment: [:], descriptors: limit)
                .warnings(of: "http.max_connections").map(\.message)
        }
        #expect(try warnings("", limit: 65_536).isEmpty)
        #expect(
            try warnings("", limit: 512) == [
                "A process may open only 512 files here, which limits it to 256 connections."
            ])
        #expect(try warnings("http: {max_connections: 100}", limit: 512).isEmpty)
        #expect(
            try warnings("http: {max_connections: 1000}", limit: 512) == [
                "1000 connections exceed the 256 that the limit of open files allows here."
            ])
    }
}
