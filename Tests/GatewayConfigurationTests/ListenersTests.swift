import GatewayConfiguration
import Testing

@Suite("Listeners")
struct ListenersTests {
    @Test(
        "that want the same port of the same address are an error",
        arguments: [
            ("http.port: 9000\nhealth.port: 9000", "health.port", "Port 9000 is also set as http.port."),
            ("metrics.port: 8080", "metrics.port", "Port 8080 is also set as http.port."),
            ("health.port: 9000\nmetrics.port: 9000", "metrics.port", "Port 9000 is also set as health.port."),
            ("health.port: 9000\nconsole.port: 9000", "console.port", "Port 9000 is also set as health.port."),
            (
                "http.host: 0.0.0.0\nhealth: {host: 127.0.0.1, port: 8080}", "health.port",
                "Port 8080 is also set as http.port."
            ),
            ("http.host: \"::\"\nhealth.port: 8080", "health.port", "Port 8080 is also set as http.port."),
            ("http.host: localhost\nhealth.port: 8080", "health.port", "Port 8080 is also set as http.port."),
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
