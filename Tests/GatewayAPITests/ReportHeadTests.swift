import NIOHTTP1
import TestSupport
import Testing

@testable import GatewayAPI

@Suite("Heads of reports")
struct ReportHeadTests {
    @Test("Whitespace around a value is no part of it", arguments: Escaped.each(["k", "k\t", " \tk\t ", "\tk"]))
    func whitespace(_ argument: Escaped<String>) {
        let value = argument.value
        var head = HTTPRequestHead(version: .http1_1, method: .PUT, uri: "/")
        head.headers = [
            "Host": "a\t", "X-Sdk-Key": value, "X-Identity-Signature": value, "Content-Length": "5\t",
            "Transfer-Encoding": "\tChunked\t",
        ]
        let read = ReportHead(0, head)
        #expect(read.key == "k" && read.signature == "k" && read.announced == 5)
        guard case .fine = HeadCheck.check(head) else {
            Issue.record("it is refused")
            return
        }
    }

    @Test("What is between is kept, and a value of whitespace is empty")
    func inside() {
        #expect(ReportHead.trimmed("a \tb") == "a \tb")
        #expect(ReportHead.trimmed(" \t ").isEmpty && ReportHead.trimmed("").isEmpty)
    }
}
