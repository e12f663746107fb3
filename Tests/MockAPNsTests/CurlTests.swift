import Glibc
import MockAPNs
import TestHTTP2Client
import Testing

@Suite("A client from elsewhere")
struct CurlTests {
    @Test("curl pushes over HTTP/2 and trusts the mock's certificate")
    func push() throws {
        try #require(access("/usr/bin/curl", X_OK) == 0, "curl is missing: `make test` installs it")
        let mock = try TestMock()
        let request = try mock.push("ab01", event: "start")
        let arguments =
            ["-s", "-m", "20", "--http2", "--cacert", mock.mock.caFile, "-w", "%{http_version} %{http_code}"]
            + request.headers.flatMap { ["-H", "\($0.0): \($0.1)"] }
            + ["--data-binary", String(decoding: request.body, as: UTF8.self), mock.mock.url + request.path]
        // None of them holds a quote.
        let command = (["/usr/bin/curl"] + arguments.map { "'\($0)'" }).joined(separator: " ")
        let output = try #require(popen(command, "r"))
        var text = [UInt8](repeating: 0, count: 256)
        let count = fread(&text, 1, text.count, output)
        #expect(pclose(output) == 0)
        #expect(String(decoding: text[..<count], as: UTF8.self) == "2 200")
        #expect(mock.mock.ledgerEntries().first?.payload == request.body)
    }
}
