import NIOCore
import TimeCore

/// Makes one call for each topic.
struct TopicPlayer: CallPlayer {
    private let kind: CallKind
    private let requests: [[UInt8]]
    private var next = 0

    init(_ kind: CallKind, _ requests: [[UInt8]]) {
        self.kind = kind
        self.requests = requests
    }

    mutating func nextCall(to request: inout ByteBuffer) -> PlayedCall? {
        guard next < requests.count else { return nil }
        defer { next += 1 }
        request.writeBytes(requests[next])
        return PlayedCall(kind: kind, subject: next)
    }

    mutating func callEnded(_ call: PlayedCall, _ outcome: CallOutcome, at now: MonotonicTime) {}
}
