import Encodings
import Secrets
import TestSupport
import Testing
import TimeCore

@testable import GatewayAPI

@Suite("Names of keys in the audit log")
struct KeyNameTests {
    @Test("A key's name is the first digits of its SHA-256, however often it is asked for; few keys are remembered")
    func names() {
        let names = KeyNames()
        for _ in 0..<2 {
            for number in 0..<(KeyNames.capacity + 10) {
                let key = "ffk_\(number)"
                #expect(names.name(of: key) == Hexadecimal.encode(Digest.sha256(Array(key.utf8))).prefix(8))
                #expect(names.count <= KeyNames.capacity)
            }
        }
        #expect(AuditRecord.keyName("a") == names.name(of: "a"))
    }
}

@Suite("How long requests took")
struct RequestTimeTests {
    @Test("A line has milliseconds to the hundredth, spelled as a number is")
    func milliseconds() {
        var random = TestSeed.generator()
        let times: [UInt64] = [
            0, 1, 4999, 5000, 10_000, 95_000, 994_999, 995_000, 999_999, 1_000_000, 12_340_000, 60_000_000_000,
        ]
        for nanoseconds in times + (0..<2000).map({ _ in UInt64.random(in: 0...100_000_000_000, using: &random) }) {
            let expected = (Double(nanoseconds) / 10_000).rounded() / 100
            #expect(RequestObservation.milliseconds(TimeInterval(nanoseconds: nanoseconds)) == "\(expected)")
        }
    }
}
