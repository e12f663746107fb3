import Glibc
import Logging
import TestCertificates
import Testing

@testable import Gateway

@Suite("A renewed key of the listener")
struct OpenListenerKeyTests {
    @Test("A key file that others can read is used, and a warning names the file and its mode")
    func open() throws {
        let maker = try CertificateMaker()
        let pair = try maker.make("listener", names: "IP:127.0.0.1")
        let log = CapturedLog()
        try #require(chmod(pair.keyFile, 0o600) == 0)
        let tls = try ListenerTLS(
            ListenerTLSOptions(certificateFile: pair.certificateFile, keyFile: pair.keyFile), logger: log.logger(.info))
        tls.look(isAsked: true)
        #expect(try log.read().allSatisfy { $0.level != "warning" })
        try #require(chmod(pair.keyFile, 0o644) == 0)
        tls.look(isAsked: true)
        #expect(tls.snapshot.reloads == 2)
        let told = try log.read().filter { $0.level == "warning" }
        #expect(told.map { $0.metadata["file"] } == [pair.keyFile] && told.first?.metadata["mode"] == "0644")
    }
}
