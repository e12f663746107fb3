import LiveActivity
public import MockKit
import TimeCore

extension MockFeedScript {
    enum Key: String, ScriptKey {
        case steps, fault
        case hasTags = "etags"

        static let place = ""
    }

    /// Parses a script: a JSON object with the keys of `docs/mocks.md`. The error names the problem.
    public init(json: [UInt8]) throws(MockError) {
        self.init()
        let script = try ScriptObject<Key>(script: json)
        hasTags = try script.bool(.hasTags) ?? hasTags
        for step in try script.objects(.steps, Step.Key.self) { steps.append(try Step(step)) }
        for (index, step) in steps.enumerated() where index > 0 && step.after < steps[index - 1].after {
            throw script.error(.steps, index, "must not come before the one in front of it")
        }
        if let fault = try script.object(.fault, MockFeedFault.Key.self) { self.fault = try MockFeedFault(fault) }
    }
}

extension MockFeedScript.Step {
    enum Key: String, ScriptKey {
        case after = "after_ms"
        case topics

        static let place = "steps[]"
    }

    init(_ step: ScriptObject<Key>) throws(MockError) {
        let topics = try step.required(.topics, step.member(.topics))
        guard topics.kind == .array else { throw step.error(.topics, "must be an array") }
        self.init(after: try step.milliseconds(.after) ?? .zero, topics: Array(topics.slice))
    }
}

extension MockFeedFault {
    enum Key: String, ScriptKey {
        case kind, status, bytes, limit
        case retryAfter = "retry_after"
        case delay = "delay_ms"

        static let place = "fault"
    }

    init(_ fault: ScriptObject<Key>) throws(MockError) {
        self.init(try fault.required(.kind, fault.word(.kind, Kind.self)))
        status = try fault.int(.status, in: 300...599) ?? status
        retryAfter = try fault.string(.retryAfter)
        delay = try fault.milliseconds(.delay) ?? delay
        bytes = try fault.int(.bytes, in: 1...100_000_000) ?? bytes
        limit = try fault.int(.limit, in: 1...1_000_000_000)
        if kind != .status { try fault.refuse(.status, .retryAfter, because: "is only for the kind status") }
        if kind != .delay { try fault.refuse(.delay, because: "is only for the kind delay") }
        if kind != .huge { try fault.refuse(.bytes, because: "is only for the kind huge") }
    }
}
