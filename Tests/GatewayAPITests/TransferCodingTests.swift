import NIOHTTP1
import TestSupport
import Testing

@testable import GatewayAPI

/// The end of a body must be unambiguous, because a proxy that sees another end reads a part of it as a request.
@Suite("Codings of a request's body")
struct TransferCodingTests {
    /// The reason for refusing a head; nil for an accepted one.
    private func refusal(_ codings: [String], version: HTTPVersion = .http1_1) -> String? {
        var head = HTTPRequestHead(version: version, method: .POST, uri: "/")
        head.headers = ["Host": "a"]
        for coding in codings { head.headers.add(name: "Transfer-Encoding", value: coding) }
        guard case .refused(let fault) = HeadCheck.check(head) else { return nil }
        return fault.error.message
    }

    @Test(
        "Any coding but chunked, alone and once, is refused",
        arguments: [
            ["gzip"], ["identity"], ["chunke"], ["chunkeD2"], [""], ["chunked,"], [",chunked"], ["chunked;a=b"],
            ["\"chunked\""], ["gzip, chunked"], ["chunked, gzip"], ["chunked, chunked"], ["chunked", "chunked"],
            ["gzip", "chunked"], ["chunked", "gzip"], ["chunked", ""], ["\u{B}chunked"], ["xchunkd"],
        ])
    func refused(codings: [String]) {
        #expect(refusal(codings)?.contains("the only supported Transfer-Encoding is chunked") == true)
    }

    @Test(
        "The coding may have any case and surrounding blanks",
        arguments: Escaped.each(["chunked", "CHUNKED", " \tChunked\t "]))
    func taken(_ argument: Escaped<String>) {
        let coding = argument.value
        #expect(refusal([coding]) == nil)
    }

    @Test("There is none in HTTP/1.0", arguments: ["chunked", "gzip"])
    func former(coding: String) {
        #expect(refusal([coding], version: .http1_0)?.contains("is not part of HTTP/1.0") == true)
        #expect(refusal([], version: .http1_0) == nil)
    }
}
