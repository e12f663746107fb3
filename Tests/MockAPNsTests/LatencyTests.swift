import Testing
import TimeCore

@testable import MockAPNs
@testable import MockKit

@Suite("Machines without a connection")
struct LatencyTests {
    @Test("A distribution is met at its points and between them")
    func distribution() {
        let latency = MockLatency.percentiles([
            .init(share: 0.5, latency: .milliseconds(10)), .init(share: 0.9, latency: .milliseconds(50)),
        ])
        #expect(latency.value(at: 0) == .zero)
        #expect(latency.value(at: 0.25) == .milliseconds(5))
        #expect(latency.value(at: 0.5) == .milliseconds(10))
        #expect(latency.value(at: 0.7).millisecondsRoundedUp == 30)
        #expect(latency.value(at: 0.95) == .milliseconds(50))
        #expect(MockLatency.uniform(.milliseconds(2), .milliseconds(4)).value(at: 0.5) == .milliseconds(3))
        #expect(MockLatency.percentiles([]).value(at: 0.5) == .zero)
    }

    @Test("Delayed answers come out by time, and in order within one time")
    func delays() {
        var random = SplitMix64(state: 5)
        var delayed = DelayedAnswers()
        var expected: [(UInt64, Int32)] = []
        for stream in 0..<500 {
            let time = random.next() % 50
            delayed.insert(at: MonotonicTime(nanoseconds: time), connection: 1, stream: Int32(stream))
            expected.append((time, Int32(stream)))
        }
        expected.sort { $0 < $1 }
        var popped: [(UInt64, Int32)] = []
        for now in 0..<50 {
            while let entry = delayed.popDue(MonotonicTime(nanoseconds: UInt64(now))) {
                popped.append((entry.time.nanoseconds, entry.stream))
                #expect(entry.time.nanoseconds <= UInt64(now))
            }
        }
        #expect(popped.map(\.1) == expected.map(\.1))
        #expect(delayed.count == 0)
    }

    @Test("Every header name is known by its bytes, and near misses are not")
    func names() {
        for name in HeaderName.allCases where name != .other {
            var bytes = Array("\(name.text)".utf8)
            #expect(bytes.withUnsafeBufferPointer { HeaderName.all.number(of: $0) } == name.rawValue)
            bytes[bytes.count - 1] ^= 1
            #expect(bytes.withUnsafeBufferPointer { HeaderName.all.number(of: $0) } == 0)
        }
        #expect(HeaderName.all.number(of: UnsafeBufferPointer(start: nil, count: 0)) == 0)
    }

    @Test("Every rejection is the first of the set that holds it and all after it")
    func rejections() {
        for rejection in Rejection.allCases {
            var set = Rejections()
            #expect(set.first == nil)
            for other in Rejection.allCases where other.rawValue >= rejection.rawValue { set.insert(other) }
            #expect(set.first == rejection)
        }
    }
}
