public import EventCore
import LiveActivity
public import TimeCore

/// An attempt to deliver an event. Attempts are kept for a day for the customer to read.
public struct DeliveryAttempt: Equatable, Sendable {
    /// The start of the attempt.
    public let at: WallTime
    /// The time from the start to the answer or the failure.
    public let duration: TimeInterval
    /// The HTTP status of the answer; nil without an answer.
    public let status: Int?
    /// The start of the answer's body; nil if it is empty.
    public let answer: String?
    /// The failure; nil if the attempt succeeded.
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

    /// The number of attempts kept per webhook.
    static let kept = 200
    /// The time for which attempts are kept.
    static let lifetime = TimeInterval.seconds(86_400)

    /// The stored form: the time in epoch milliseconds, a blank, and the JSON object for the customer.
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

    /// The JSON object of a stored attempt; nil if it started before `time` or is malformed.
    static func object(_ stored: [UInt8], since time: WallTime) -> [UInt8]? {
        guard let blank = stored.firstIndex(of: UInt8(ascii: " ")),
            let began = Int64(String(decoding: stored[..<blank], as: UTF8.self)), began >= time.milliseconds
        else { return nil }
        return Array(stored[(blank + 1)...])
    }
}
