import TestSupport
import Testing
import TimeCore

@testable import GatewayAPI

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
