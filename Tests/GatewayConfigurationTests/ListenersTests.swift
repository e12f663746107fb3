import GatewayConfiguration
import Testing

@Suite("Listeners")
struct ListenersTests {
    @Test(
        "that want the same port of the same address are an error",
        arguments: [
            ("http.port: 9000\nhealth.port: 9000", "health.port", "The port 9000 is http.port already."),
            ("metrics.port: 8080", "metrics.port", "The port 8080 is http.port already."),
            ("health.port: 9000\nmetrics.port: 9000", "metrics.port", "The port 9000 is health.port already."),
            ("health.port: 9000\nconsole.port: 9000", "console.port", "The port 9000 is health.port already."),
            (
                "http.host: 0.0.0.0\nhealth: {host: 127.0.0.1, port: 8080}", "health.port",
                "The port 8080 is http.port already."
            ),
            ("http.host: \"::\"\nhealth.port: 8080", "health.port", "The port 8080 is http.port already."),
            ("http.host: localhost\nhealth.port: 8080", "health.port", "The port 8080 is http.port already."),
        ])
    func same(text: String, key: String, message: String) throws {
        let report = try TemporaryFiles().examine("redis.url: redis://localhost\n\(text)\n")
        #expect(report.errors.map(\.message) == [message])
        #expect(report.errors.map(\.key) == [key])
    }

    @Test(
        "that differ in port or address, or let the system choose, or are not there, are none",
        arguments: [
            "http.port: 0\nhealth.port: 0", "health.port: 8081\nmetrics.port: 8082",
            "http.host: 127.0.0.1\nhealth: {host: 127.0.0.2, port: 8080}",
            "metrics: {enabled: false, port: 8080}",
        ])
    func different(text: String) throws {
        #expect(try TemporaryFiles().examine("redis.url: redis://localhost\n\(text)\n").errors.isEmpty)
    }
}
