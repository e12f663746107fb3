public import EventCore
import LiveActivity
public import TimeCore

/// A try to deliver an event, as it is kept for the customer for a day.
public struct DeliveryAttempt: Equatable, Sendable {
    /// When it began.
    public let at: WallTime
    /// How long it took.
    public let duration: TimeInterval
    /// What the receiver answered with; nil when nothing came.
    public let status: Int?
    /// The beginning of the answer's body; nil when it had none.
    public let answer: String?
    /// Nil for one that went well.
    public let failure: AttemptFailure?

    public init(
        at: WallTime, duration: TimeInterval, status: Int? = nil, answer: String? = nil, failure: AttemptFailure? = nil
    ) {
        self.at = at
        self.duration = duration
        self.status = status
        self.answer = answer
        self.failure = failure
    }

    /// Of each webhook so many are kept, the newest.
    static let kept = 200
    /// For so long.
    static let lifetime = TimeInterval.seconds(86_400)

    /// As it is kept: its time in epoch milliseconds, a blank, and the object of JSON that the customer reads.
    func stored(_ event: RecordedEvent, number: Int) -> [UInt8] {
        let object = JSONWriter.object {
            $0.field("event_id", event.id)
            $0.field("type", event.type.rawValue)
            $0.field("attempt", number)
            $0.field("at", at.rfc3339)
            $0.field("duration_ms", Int(duration.millisecondsRoundedUp))
            $0.field("delivered", failure == nil)
            $0.field("status", status)
            $0.field("failure", failure?.kind.rawValue)
            $0.field("error", failure?.text)
            $0.field("answer", answer)
        }
        return Array("\(at.milliseconds) ".utf8) + object
    }

    /// The object of one that is kept; nil when it began before `time`, or is none.
    static func object(_ stored: [UInt8], since time: WallTime) -> [UInt8]? {
        guard let blank = stored.firstIndex(of: UInt8(ascii: " ")),
            let began = Int64(String(decoding: stored[..<blank], as: UTF8.self)), began >= time.milliseconds
        else { return nil }
        return Array(stored[(blank + 1)...])
    }
}
