import Encodings
import Testing

@Suite("This machine by name and address")
struct LoopbackTests {
    @Test("Loopback addresses and localhost are this machine, and nothing that merely begins so")
    func hosts() {
        for host in ["127.0.0.1", "127.9.8.7", "::1", "localhost", "LocalHost"] {
            #expect(Loopback.contains(host: host))
        }
        for host in ["127.example.com", "127.0.0.1.example.com", "128.0.0.1", "::", "0.0.0.0", "localhost.", "", "::2"]
        {
            #expect(!Loopback.contains(host: host), "\(host)")
        }
    }
}
