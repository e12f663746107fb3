import NIOCore
import TimeCore

/// Polls topics in turn until all have settled. A settled topic has ended, has no broadcast under way, and did not
/// change between two readings.
struct SettlingPlayer: CallPlayer {
    let readsAnswers = true
    private let requests: [[UInt8]]
    /// The newest reading of each topic.
    private(set) var readings: [TopicReading?]
    private var isSettled: [Bool]
    private var turn = 0

    init(_ requests: [[UInt8]]) {
        self.requests = requests
        readings = requests.map { _ in nil }
        isSettled = requests.map { _ in false }
    }

    /// The number of topics that have not settled.
    var unsettled: Int { isSettled.count { !$0 } }

    var isFinished: Bool { unsettled == 0 }

    mutating func nextCall(to request: inout ByteBuffer) -> PlayedCall? {
        for _ in requests {
            defer { turn = (turn + 1) % requests.count }
            guard !isSettled[turn] else { continue }
            request.writeBytes(requests[turn])
            return PlayedCall(kind: .getTopic, subject: turn)
        }
        return nil
    }

    mutating func callEnded(_ call: PlayedCall, _ outcome: CallOutcome, at now: MonotonicTime) {
        guard case .answered(200, let body) = outcome, let reading = TopicReading(body) else { return }
        isSettled[call.subject] = reading.hasEnded && reading.isQuiet && reading == readings[call.subject]
        readings[call.subject] = reading
    }
}
