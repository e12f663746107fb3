import NIOCore
import TimeCore

/// A call that was written as a request.
struct PlayedCall: Sendable, Equatable {
    let kind: CallKind
    /// The subject of the call, as a number of the player.
    let subject: Int
    /// Distinguishes calls about the same subject.
    var number = 0
}

/// The outcome of a call.
enum CallOutcome: Sendable, Equatable {
    /// The body is kept for statuses from 300 on. Players that read answers get all bodies.
    case answered(status: Int, body: [UInt8])
    /// No answer arrived within the time limit.
    case timedOut
    /// The connection could not be opened, or was lost before the answer, for this reason.
    case lost(String)

    var isSuccess: Bool {
        guard case .answered(let status, _) = self else { return false }
        return (200..<300).contains(status)
    }
}

/// Decides which call is next. Knows its subjects, but no times or connections.
protocol CallPlayer {
    /// True if the player needs the bodies of successful answers.
    var readsAnswers: Bool { get }
    /// True if the player needs no more calls.
    var isFinished: Bool { get }
    /// True if follow-ups are pending, now or later.
    var hasFollowUps: Bool { get }
    /// Appends the next request; nil if every call must wait for an answer.
    mutating func nextCall(to request: inout ByteBuffer) -> PlayedCall?
    /// Appends the next follow-up request; nil if none is due now.
    mutating func nextFollowUp(to request: inout ByteBuffer, at now: MonotonicTime) -> PlayedCall?
    /// True if the answer only says that the call came too early, so it will be repeated.
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
