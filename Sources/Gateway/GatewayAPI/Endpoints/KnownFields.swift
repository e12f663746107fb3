import Encodings
import Hummingbird
import LiveActivity

/// The names that a customer's request may have. What is not among them is refused, since nobody would honour it: a field that is
/// misspelled would otherwise be taken for one that was left out. Content is never looked into.
public struct KnownFields: Sendable {
    /// The names of the body's own members.
    public let body: [String]
    /// Those of `options`.
    public let options: [String]
    /// Those of the query.
    public let query: [String]

    /// A request that has none but these.
    public init(body: [String] = [], options: [String] = [], query: [String] = []) {
        self.body = body + (options.isEmpty ? [] : ["options"])
        self.options = options
        self.query = query
    }

    /// Whether a body has no other names.
    func allow(_ body: JSONValue) -> Bool { (try? check(body)) != nil }

    /// Throws `VALIDATION_FAILED` for a name that is not known here.
    func check(_ body: JSONValue) throws {
        if let name = body.firstMember(notIn: self.body) {
            throw KnownFields.unknown("\(KnownFields.shown(name)) is no field of this request", name, self.body)
        }
        guard !options.isEmpty, let options = try body.optional("options"),
            let name = options.firstMember(notIn: self.options)
        else { return }
        throw KnownFields.unknown(
            "options.\(KnownFields.shown(name)) is no option of this request", name, self.options, under: "options.")
    }

    /// Throws `VALIDATION_FAILED` for text in a query that takes for ever to compare (`StreamSafeText`).
    static func checkText(_ query: Parameters) throws {
        for (name, value) in query where !StreamSafeText.holds(String(name)) || !StreamSafeText.holds(String(value)) {
            throw APIError(
                .validationFailed,
                "the request's query has more than \(StreamSafeText.longestRow) combining marks in a row")
        }
    }

    /// The same for a request's query.
    func check(_ query: Parameters) throws {
        try KnownFields.checkText(query)
        for name in self.query where query.count(where: { $0.key.utf8.elementsEqual(name.utf8) }) > 1 {
            throw APIError(.validationFailed, "\(name) stands in this request's query more than once")
        }
        for (name, _) in query where !self.query.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
            throw KnownFields.unknown(
                "\(KnownFields.shown(String(name))) is no parameter of this request's query", String(name), self.query)
        }
    }

    private static func unknown(
        _ text: String, _ name: String, _ known: [String], under path: String = ""
    ) -> APIError {
        guard let near = NearestName.find(name, in: known) else {
            return APIError(
                .validationFailed,
                known.isEmpty ? "\(text); it has none" : "\(text); there are \(known.joined(separator: ", "))")
        }
        return APIError(.validationFailed, "\(text); did you mean \(path)\(near)?")
    }

    private static func shown(_ name: String) -> String { StreamSafeText.beginning(of: name, bytes: 100) }
}

// What requests have in common.
extension KnownFields {
    /// How a push is sent and shown.
    static let pushOptions = [
        "priority", "expiration", "stale_date", "dismissal_date", "relevance_score", "sound",
    ]
    static let activity = ["activity_id", "activity_type"]
    /// An activity that an app may have opened by itself.
    static let namedActivity = activity + ["external_id", "insider_id"]
    static let update = KnownFields(
        body: namedActivity + ["content", "target_devices"], options: ["skip_unchanged"] + pushOptions)
    /// A list of users as JSON.
    static let ids = KnownFields(body: ["insider_ids"])
    static let page = KnownFields(query: ["limit", "cursor"])
}
