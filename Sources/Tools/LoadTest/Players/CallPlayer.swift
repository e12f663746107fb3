import NIOCore
import TimeCore

/// A call that was written into a request.
struct PlayedCall: Sendable, Equatable {
    let kind: CallKind
    /// Whom it is about; the player knows what the number means.
    let subject: Int
    /// Tells calls about one subject apart.
    var number = 0
}

/// How a call ended.
enum CallOutcome: Sendable, Equatable {
    /// The body is there for statuses from 300 on, and for all where the player reads answers.
    case answered(status: Int, body: [UInt8])
    /// No answer within the time that a call has.
    case timedOut
    /// The connection could not be made, or ended before the answer, for this reason.
    case lost(String)

    var isSuccess: Bool {
        guard case .answered(let status, _) = self else { return false }
        return (200..<300).contains(status)
    }
}

/// What one next call it is: knows whom it plays, and nothing of times and connections.
protocol CallPlayer {
    /// The player wants the bodies of answers with success too.
    var readsAnswers: Bool { get }
    /// The player wants no more calls to be made.
    var isFinished: Bool { get }
    /// Requests follow from earlier answers, now or later.
    var hasFollowUps: Bool { get }
    /// Appends the next request; nil when there is nothing to call before one of those under way has been answered.
    mutating func nextCall(to request: inout ByteBuffer) -> PlayedCall?
    /// Appends a request that follows from earlier answers, beside those by the clock; nil when there is none now.
    mutating func nextFollowUp(to request: inout ByteBuffer, at now: MonotonicTime) -> PlayedCall?
    /// Whether the answer says no more than that the call came before what it is about: it will be made again.
    func isTooEarly(_ call: PlayedCall, _ outcome: CallOutcome) -> Bool
    mutating func callEnded(_ call: PlayedCall, _ outcome: CallOutcome, at now: MonotonicTime)
}

extension CallPlayer {
    var readsAnswers: Bool { false }
    var isFinished: Bool { false }
    var hasFollowUps: Bool { false }
    mutating func nextFollowUp(to request: inout ByteBuffer, at now: MonotonicTime) -> PlayedCall? { nil }
    func isTooEarly(_ call: PlayedCall, _ outcome: CallOutcome) -> Bool { false }
}
