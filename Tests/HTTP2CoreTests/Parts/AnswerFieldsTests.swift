import Testing

@testable import HTTP2Core

@Suite("The fields of an answer")
struct AnswerFieldsTests {
    private func read(_ fields: [(String, String)]) -> AnswerFields {
        var answer = AnswerFields()
        for (name, value) in fields {
            Array(name.utf8).withUnsafeBufferPointer { name in
                Array(value.utf8).withUnsafeBufferPointer { answer.fieldReceived(name, $0) }
            }
        }
        return answer
    }

    @Test(
        "retry-after counts as a number of one to nine digits only",
        arguments: [
            ("0", 0), ("7", 7), ("120", 120), ("999999999", 999_999_999), ("1000000000", nil), ("", nil), ("-1", nil),
            ("1.5", nil), (" 1", nil), ("Fri, 31 Dec 1999 23:59:59 GMT", nil), ("00000000001", nil),
        ] as [(String, UInt32?)])
    func retryAfter(_ text: String, _ seconds: UInt32?) {
        let answer = read([(":status", "429"), ("retry-after", text)])
        #expect(answer.retryAfter == seconds && !answer.isMalformed && answer.status == 429)
    }

    @Test("a list is malformed above its limit, counted as in RFC 9113, section 6.5.2")
    func size() {
        let status = ":status".utf8.count + 3 + 32
        let rest = HTTP2Connection.headerBlockLimit - status - 32 - 1
        #expect(!read([(":status", "400"), ("x", String(repeating: "v", count: rest))]).isMalformed)
        #expect(read([(":status", "400"), ("x", String(repeating: "v", count: rest + 1))]).isMalformed)
    }

    @Test("the names' alphabet is that of RFC 9113, section 8.2.1")
    func names() {
        for byte in UInt8.min...UInt8.max {
            var answer = AnswerFields()
            [0x61, byte].withUnsafeBufferPointer { name in
                [0x62].withUnsafeBufferPointer { answer.fieldReceived(name, $0) }
            }
            let isGood = byte > 0x20 && byte < 0x7F && !(0x41...0x5A).contains(byte) && byte != 0x3A
            #expect(answer.isMalformed == !isGood, "byte \(byte)")
        }
    }
}
