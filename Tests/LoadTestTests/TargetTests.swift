import TestSupport
import Testing
import TimeCore

@testable import LoadTest

@Suite("Whom a load test calls")
struct TargetTests {
    @Test("Names and addresses of this machine are called without a word")
    func loopback() throws {
        for host in ["127.0.0.1", "127.9.8.7", "localhost", "LOCALHOST", "[::1]"] {
            try HostGuard.check(GatewayURL("http://\(host):8080"), owned: nil)
        }
    }

    @Test(
        "Every other host is refused, however much it looks like this machine",
        arguments: [
            "192.168.1.1", "example.com", "127.example.com", "localhost.example.com", "127.0.0.1.example.com",
            "128.0.0.1",
            "127.0.0", "127.0.0.1.1", "127.0.0.256", "127.00.0.1", "0127.0.0.1", "127.0.0.+1", "[::2]", "[::]",
            "0.0.0.0",
            "[::ffff:10.0.0.1]",
        ])
    func foreign(host: String) throws {
        let url = try GatewayURL("http://\(host):8080")
        let error = #expect(throws: LoadTestError.self) { try HostGuard.check(url, owned: nil) }
        #expect(error?.description.contains("--i-own-this-host") == true)
    }

    @Test("The host that is named as one's own is called, and no other")
    func owned() throws {
        try HostGuard.check(GatewayURL("https://Staging.Example.com"), owned: "staging.example.COM")
        #expect(throws: LoadTestError.self) {
            try HostGuard.check(GatewayURL("https://example.com"), owned: "staging.example.com")
        }
        #expect(throws: LoadTestError.self) {
            try HostGuard.check(GatewayURL("https://staging.example.com.evil.example"), owned: "staging.example.com")
        }
    }

    @Test("A name that claims to be this machine and leads elsewhere is refused")
    func resolved() throws {
        let url = try GatewayURL("http://localhost:8080")
        try HostGuard.check(url, resolved: "127.0.0.1", owned: nil)
        try HostGuard.check(url, resolved: "::1", owned: nil)
        #expect(throws: LoadTestError.self) { try HostGuard.check(url, resolved: "10.1.2.3", owned: nil) }
        try HostGuard.check(GatewayURL("http://gate.example"), resolved: "10.1.2.3", owned: "gate.example")
    }

    @Test("A run against a foreign host ends before anything is looked up or sent")
    func runRefused() async throws {
        var load = DeviceLoad()
        load.target.url = "http://gateway.invalid:8080"
        load.sdkKey = "k"
        load.registers = true
        let error = await #expect(throws: LoadTestError.self) {
            _ = try await LoadTest.devices(load, observer: SilentObserver(), control: LoadControl())
        }
        #expect(error?.description.contains("gateway.invalid is not this machine") == true)
    }

    @Test("URLs are read with scheme, port and prefix")
    func urls() throws {
        #expect(try GatewayURL("http://127.0.0.1").port == 80)
        #expect(try GatewayURL("https://127.0.0.1/").port == 443)
        let url = try GatewayURL("https://[::1]:9000/a/b/")
        #expect(url == (try GatewayURL("https://[::1]:9000/a/b")))
        #expect(url.authority == "[::1]:9000" && url.host == "::1" && url.prefix == "/a/b")
    }

    @Test(
        "What is no URL is refused with a sentence",
        arguments: Escaped.each([
            "", "127.0.0.1:8080", "ftp://127.0.0.1", "http://", "http://:80", "http://127.0.0.1:0",
            "http://127.0.0.1:70000",
            "http://127.0.0.1:x", "http://::1", "http://[::1", "http://[::1]x", "http://user@127.0.0.1",
            "http://127.0.0.1/?a", "http://127.0.0.1/#a", "http://127.0.0.1/a b", "http://127.0.0.1/\r\nX: y",
            "http://127.0.0.1:80:90", "http://[]:80",
        ]))
    func badURLs(_ argument: Escaped<String>) {
        let text = argument.value
        let error = #expect(throws: LoadTestError.self) { try GatewayURL(text) }
        #expect(error?.description.hasPrefix("--url: ") == true)
    }

    @Test("A key that cannot stand in a header is refused, without being shown")
    func keys() throws {
        for text in ["", "se cret", "secret\r\nX: y", "sécret", String(repeating: "s", count: 513)] {
            let error = #expect(throws: LoadTestError.self) { try CallKey(text, name: "the SDK key") }
            #expect(error?.description.contains("the SDK key") == true)
            #expect(error?.description.contains("cret") == false)
        }
        #expect("\(try CallKey("secret", name: "k"))" == "a key")
    }

    @Test("Options that make no sense are refused with a sentence that names them")
    func options() {
        func refuses(_ name: String, _ change: (inout BroadcastLoad) -> Void) {
            var load = BroadcastLoad()
            load.apiKeys = ["k"]
            change(&load)
            let error = #expect(throws: LoadTestError.self) { try load.check() }
            #expect(error?.description.contains(name) == true, "\(name): \(error?.description ?? "")")
        }
        refuses("API key") { $0.apiKeys = [] }
        refuses("one SDK key for each") { $0.sdkKeys = ["a", "b"] }
        refuses("--rate") { $0.rate = .infinity }
        refuses("--rate") { $0.rate = 0 }
        refuses("--calls") { $0.calls = 0 }
        refuses("--duration") { $0.duration = nil }
        refuses("--segment-size") { $0.segmentSize = 1001 }
        refuses("--target-share") { $0.targetShare = 1.5 }
        refuses("--sync-share") { $0.syncShare = .nan }
        refuses("--in-flight") { $0.inFlight = 0 }
        refuses("--lifetime") { $0.lifetime = .seconds(60) }
        refuses("--activity-type") { $0.activityType = "a\"b" }
        refuses("--timeout") { $0.target.timeout = .zero }
        var devices = DeviceLoad()
        devices.sdkKey = "k"
        devices.registers = true
        devices.target.devices = 600_000
        let error = #expect(throws: LoadTestError.self) { try devices.check() }
        #expect(error?.description.contains("--max-requests") == true)
    }
}
