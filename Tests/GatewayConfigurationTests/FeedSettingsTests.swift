import FeedCore
import GatewayConfiguration
import Testing

@Suite("Feeds")
struct FeedSettingsTests {
    @Test("are a list in the file, and numbered in the environment")
    func list() throws {
        let files = try TemporaryFiles()
        let headers = try files.write("headers", "# Of the feed\nAuthorization: Bearer x\n\nX-Two:  b c \n")
        let report = try files.examine(
            """
            topics:
              feeds:
                - tenant: t-1
                  url: "HTTPS://scores.example:8443/live?key=secret"
                  interval: 5
                  timeout: 500ms
                  max_bytes: 4096
                  headers_file: \(headers)
                  ca_file: \(try files.certificates())
                - {tenant: t-2, url: "http://127.0.0.1:81"}
            """,
            [
                "FANFARE_TOPICS_FEEDS_1_INTERVAL": "1m", "FANFARE_TOPICS_FEEDS_7_TENANT": "t-3",
                "FANFARE_TOPICS_FEEDS_7_URL": "https://h/",
            ])
        #expect(report.problems.filter { $0.key != "apns.key_file" }.isEmpty, "\(report.problems)")
        var first = GatewayConfiguration.Feed(
            number: 0, tenant: "t-1", url: "https://scores.example:8443/live?key=secret")
        (first.interval, first.timeout, first.maxBytes) = (.seconds(5), .milliseconds(500), 4096)
        (first.headersFile, first.caFile) = (headers, "\(files.directory)/ca.pem")
        var second = GatewayConfiguration.Feed(number: 1, tenant: "t-2", url: "http://127.0.0.1:81")
        second.interval = .seconds(60)
        let third = GatewayConfiguration.Feed(number: 7, tenant: "t-3", url: "https://h/")
        #expect(try report.checked().topics.feeds == [first, second, third])
        #expect(third.interval == .seconds(30) && third.timeout == .seconds(10) && third.maxBytes == 2_097_152)
        #expect(try first.headers().fields.map(\.value) == ["Bearer x", "b c"])
        #expect(try second.headers().fields.isEmpty)
        #expect(report["topics.feeds.0.url"]?.value == "https://scores.example:8443/live?***")
        #expect(!report.listing.contains("secret"))
    }

    @Test(
        "have URLs that are encrypted, or on this machine, and hold no password",
        arguments: [
            ("https://h", true), ("https://h:1/a?b=c", true), ("http://localhost:80/x", true), ("http://[::1]/", true),
            ("http://127.8.0.1", true), ("http://10.0.0.1/", false), ("http://h/", false), ("ftp://h/", false),
            ("https://u:p@h/", false), ("https://h/#a", false), ("https:///x", false), ("h/x", false),
            ("http://127.0.0.1.example/", false), ("https://h/a b", false), ("https://h:0x1/", false),
        ])
    func urls(_ url: String, isFine: Bool) throws {
        let files = try TemporaryFiles()
        let report = try files.examine("topics: {feeds: [{tenant: t, url: \"\(url)\"}]}")
        #expect(report.errors.compactMap(\.key) == (isFine ? [] : ["topics.feeds.0.url"]), "\(report.errors)")
        #expect(!report.errors.contains { $0.message.contains("u:p") })
    }

    @Test("that lack something, stand twice, or are no list are errors")
    func incomplete() throws {
        let files = try TemporaryFiles()
        let lacking = try files.examine("topics: {feeds: [{interval: 5}, {tenant: t, url: \"https://h\", urk: 1}]}")
        #expect(Set(lacking.errors.compactMap(\.key)) == ["topics.feeds.0", "topics.feeds.1.urk"])
        #expect(lacking.errors.first?.message == "The feed lacks tenant, url.")
        let twice = try files.examine(
            "topics: {feeds: [{tenant: t, url: \"https://h\"}, {tenant: t, url: \"https://h\"}]}")
        #expect(twice.errors.compactMap(\.key) == ["topics.feeds.1.url"])
        for text in ["topics: {feeds: \"https://h\"}", "topics: {feeds: [\"https://h\"]}"] {
            let report = try files.examine(text)
            #expect(report.errors.compactMap(\.key) == ["topics.feeds"])
            #expect(report.errors.first?.advice == "Write a list of feeds, each with tenant and url.")
        }
        #expect(try files.examine("topics: {feeds: }").errors.isEmpty)
    }

    @Test(
        "name files that are checked; that of the header fields is the owner's alone, and its values are in no message")
    func namedFiles() throws {
        let files = try TemporaryFiles()
        func report(_ field: String, _ path: String) throws -> ConfigurationReport {
            try files.examine("topics: {feeds: [{tenant: t, url: \"https://h\", \(field): \(path)}]}")
        }
        let open = try report("headers_file", try files.write("open", "A: secret\n", mode: 0o644))
        #expect(open.errors.isEmpty && open.warnings(of: "topics.feeds.0.headers_file").count == 1)
        for (path, words) in [
            ("/no/such/file", "the file does not exist"), (files.directory, "is a directory"),
            ("/dev/null", "is not a regular file"),
            (try files.write("no-colon", "A: b\nsecret\n"), "line 2 has no colon"),
            (try files.write("own", "Host: secret\n"), "the field Host is not allowed"),
        ] {
            let report = try report("headers_file", path)
            #expect(report.errors.compactMap(\.key) == ["topics.feeds.0.headers_file"])
            #expect(report.errors.first?.message.contains(words) == true, "\(report.errors)")
            #expect(report.errors.first?.message.contains("secret") == false)
        }
        #expect(
            try report("ca_file", try files.write("empty", "")).errors.compactMap(\.key) == ["topics.feeds.0.ca_file"])
    }
}
