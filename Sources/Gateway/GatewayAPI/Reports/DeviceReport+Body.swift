import GatewayStore
import LiveActivity

// The parsers of reports' bodies.
extension DeviceReport.Content {
    /// True for a sync by an `external_id`, which creates a missing activity.
    var mayOpenActivity: Bool {
        if case .sync(_, .external, _) = self { true } else { false }
    }

    static func device(_ body: JSONValue) throws -> Self {
        .change(.device(try body.device()))
    }

    static func pushToStartToken(_ body: JSONValue) throws -> Self {
        .change(.pushToStartToken(try body.token(), type: try body.optionalActivityType()))
    }

    static func registrationToken(_ body: JSONValue) throws -> Self {
        .change(.registrationToken(try body.registrationToken()))
    }

    static func sync(_ body: JSONValue) throws -> Self {
        let token = try body.optionalToken()
        let systemID = try body.systemActivityID()
        guard let reference = try body.namedActivity() else {
            throw APIError(.activityIDRequired, "activity_id, topic or activity_type is required")
        }
        return .sync(token: token, reference: reference, systemActivityID: systemID)
    }
}

extension APIError {
    static var noSuchLiveActivity: APIError { APIError(.notFound, "the device is not in this activity") }

    /// The refusal of a report whose type matches several activities.
    init(ambiguous candidates: [ActivityCandidate]) {
        self.init(
            .activityAmbiguous,
            "the report matches \(candidates.count) activities; name one with activity_id or topic")
        self.candidates = candidates
    }
}

extension JSONValue {
    /// Parses the activity by the first of these that is present: id, topic, external id, type.
    func namedActivity() throws -> ActivityReference? {
        let type = try optionalActivityType()
        let externalID = try externalID()
        if let reference = try activityByIDOrTopic(type: type) { return reference }
        guard let externalID else { return type.map { .ofType($0) } }
        guard let type else {
            throw APIError(.activityTypeRequired, "activity_type is required with external_id")
        }
        return .external(externalID, type: type, isOwn: try isUsersOwn())
    }

    /// Parses an activity by id or topic.
    /// - Parameter type: The report's activity type.
    func activityByIDOrTopic(type: String?) throws -> ActivityReference? {
        if let id = try optional("activity_id")?.uniqueID { return .id(id, type: type) }
        guard try text("activity_id") == nil else { throw APIError.noSuchLiveActivity }
        guard let topic = try text("topic") else { return nil }
        guard TopicName.isValid(topic) else { throw APIError.badTopicName }
        return .topic(topic, type: type)
    }

    /// Parses the app's id of an activity that it opened by itself.
    func externalID() throws -> String? {
        guard try optional("external_id") != nil else { return nil }
        guard let text = try text("external_id"), text.utf8.count <= ExternalName.maximumLength else {
            throw APIError.invalid("external_id", "a string of 1 to \(ExternalName.maximumLength) bytes")
        }
        return text
    }

    /// True if `external_id` belongs to the user; false if all users share it.
    func isUsersOwn() throws -> Bool {
        switch try optionalString("external_scope") {
        case "user": true
        case "shared", nil: false
        default: throw APIError.invalid("external_scope", "user or shared")
        }
    }

    func systemActivityID() throws -> String? {
        guard let text = try text("system_activity_id") else { return nil }
        guard text.utf8.count <= 128 else {
            throw APIError.invalid("system_activity_id", "a string of at most 128 bytes")
        }
        return text
    }
}
