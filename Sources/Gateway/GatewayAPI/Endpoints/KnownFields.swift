import Encodings
import Hummingbird
import LiveActivity

/// The names that a customer's request may have. Other names are refused, because a misspelled field would otherwise
/// count as omitted. The customer's own objects, `content_state` and `attributes`, are not checked.
public struct KnownFields: Sendable {
    /// The names of the body's members.
    public let body: [String]
    /// The names of the members of `options`.
    public let options: [String]
    /// The names of the query's parameters.
    public let query: [String]

    /// Known fields of a request; nothing else is allowed.
    public init(body: [String] = [], options: [String] = [], query: [String] = []) {
        self.body = body + (options.isEmpty ? [] : ["options"])
        self.options = options
        self.query = query
    }

    /// True if a body has no other names.
    func allow(_ body: JSONValue) -> Bool { (try? check(body)) != nil }

    /// Throws `VALIDATION_FAILED` for an unknown name.
    func check(_ body: JSONValue) throws {
        try KnownFields.check(body, self.body)
        if !options.isEmpty, let options = try body.optional("options") {
            try KnownFields.check(options, self.options, "option", under: "options.")
        }
        if self.body.contains("content"), let content = try body.optional("content") {
            try KnownFields.check(content, KnownFields.content, under: "content.")
        }
        if self.body.contains("target_devices"), let devices = try body.optional("target_devices") {
            for (index, device) in devices.elements.enumerated() {
                try KnownFields.check(device, KnownFields.device, under: "target_devices[\(index)].")
            }
        }
    }

    /// Throws `VALIDATION_FAILED` for an object with a member that is none of these.
    /// - Parameters:
    ///   - kind: The word for its members.
    ///   - path: The place of the object, with a dot at the end.
    static func check(
        _ object: JSONValue, _ known: [String], _ kind: String = "field", under path: @autoclosure () -> String = ""
    ) throws {
        guard let name = object.firstMember(notIn: known) else { return }
        let path = path()
        throw unknown("\(path)\(shown(name)) is not a valid \(kind) of this request", name, known, under: path)
    }

    /// Throws `VALIDATION_FAILED` for a query that repeats a parameter, or with text that takes too long to compare
    /// (`StreamSafeText`).
    static func check(_ query: Parameters, once names: [String]) throws {
        try checkText(query)
        for name in names where query.count(where: { $0.key.utf8.elementsEqual(name.utf8) }) > 1 {
            throw APIError(.validationFailed, "the query has \(name) more than once")
        }
    }

    private static func checkText(_ query: Parameters) throws {
        for (name, value) in query where !StreamSafeText.holds(String(name)) || !StreamSafeText.holds(String(value)) {
            throw APIError(
                .validationFailed,
                "the request's query has more than \(StreamSafeText.longestRow) combining marks in a row")
        }
    }

    /// Throws `VALIDATION_FAILED` for a query with an unknown or repeated name.
    func check(_ query: Parameters) throws {
        try KnownFields.check(query, once: self.query)
        for (name, _) in query where !self.query.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
            throw KnownFields.unknown(
                "\(KnownFields.shown(String(name))) is not a valid query parameter of this request", String(name),
                self.query)
        }
    }

    private static func unknown(
        _ text: String, _ name: String, _ known: [String], under path: String = ""
    ) -> APIError {
        guard let near = NearestName.find(name, in: known) else {
            return APIError(
                .validationFailed,
                known.isEmpty ? "\(text), which has none" : "\(text); use \(known.joined(separator: ", "))")
        }
        return APIError(.validationFailed, "\(text); did you mean \(path)\(near)?")
    }

    private static func shown(_ name: String) -> String { StreamSafeText.beginning(of: name, bytes: 100) }
}

// Fields that several requests share.
extension KnownFields {
    /// The options of how a push is sent and shown.
    static let pushOptions = [
        "priority", "expiration", "stale_date", "dismissal_date", "relevance_score", "sound",
    ]
    static let activity = ["activity_id", "activity_type"]
    static let content = ["title", "message", "content_state", "attributes"]
    /// An element of `target_devices`.
    static let device = ["insider_id", "udid"]
    /// The state of a topic.
    static let topic = KnownFields(
        body: ["activity_type", "state", "sequence", "ends_at", "content", "name"],
        options: ["activity_id_attribute", "channel", "channel_storage"] + pushOptions.filter { $0 != "expiration" })
    /// An element of a feed: the state of the topic that it names.
    static let topicOfFeed = KnownFields(body: topic.body + ["topic"], options: topic.options)
    /// An activity that an app may have opened by itself.
    static let namedActivity = activity + ["external_id", "insider_id"]
    static let update = KnownFields(
        body: namedActivity + ["content", "target_devices"], options: ["skip_unchanged"] + pushOptions)
    /// A list of users as JSON.
    static let ids = KnownFields(body: ["insider_ids"])
    static let page = KnownFields(query: ["limit", "cursor"])
}
