public import FeedCore
import RedisClient
import TimeCore

/// A feed's state in Redis.
public struct FeedRecord: Sendable {
    /// The state with which a poll begins.
    public var state: FeedState
    /// The number of polls recorded by gateways that had lost the lease, as Redis formats it; empty for none.
    let strays: String

    init(_ fields: [RedisField]) {
        var state = FeedState()
        var strays = ""
        for (name, value) in fields {
            let text = String(decoding: value, as: UTF8.self)
            let time = Int64(text).map(WallTime.init(milliseconds:))
            switch String(decoding: name, as: UTF8.self) {
            case "tag": state.tag = text
            case "digest": state.digest = value
            case "due_at": state.dueAt = time
            case "failures": state.failures = Int(text) ?? 0
            case "failing_since": state.failingSince = time
            case "failure": state.failure = FeedFailure(rawValue: text)
            case "succeeded_at": state.succeededAt = time
            case "topics": state.topics = Int(text) ?? 0
            case "refused": state.refused = Int(text) ?? 0
            case "strays": strays = text
            default: break
            }
        }
        self.state = state
        self.strays = strays
    }

    /// Returns the names and values of the hash.
    static func fields(_ state: FeedState) -> [any RedisArgumentConvertible] {
        var fields: [any RedisArgumentConvertible] = [
            "failures", state.failures, "topics", state.topics, "refused", state.refused,
        ]
        if let tag = state.tag { fields += ["tag", tag] as [any RedisArgumentConvertible] }
        if let digest = state.digest { fields += ["digest", digest] as [any RedisArgumentConvertible] }
        if let failure = state.failure { fields += ["failure", failure.rawValue] as [any RedisArgumentConvertible] }
        let times = [
            ("due_at", state.dueAt), ("failing_since", state.failingSince), ("succeeded_at", state.succeededAt),
        ]
        for case (let name, let time?) in times {
            fields += [name, String(time.milliseconds)] as [any RedisArgumentConvertible]
        }
        return fields
    }
}
