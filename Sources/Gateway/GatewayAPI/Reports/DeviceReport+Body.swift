import GatewayStore
import LiveActivity

// What the bodies of reports say.
extension DeviceReport.Content {
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
        let type = try body.optionalActivityType()
        let externalID = try body.externalID()
        let reference: ActivityReference
        if let id = try body.optional("activity_id")?.uniqueID {
            reference = .id(id, type: type)
        } else if try body.text("activity_id") != nil {
            throw APIError.noSuchLiveActivity
        } else if let externalID {
            guard let type else {
                throw APIError(.activityTypeRequired, "activity_type is required beside external_id")
            }
            reference = .external(externalID, type: type, isOwn: try body.isUsersOwn())
        } else if let type {
            reference = .newest(type: type)
        } else {
            throw APIError(.activityIDRequired, "activity_id or activity_type is required")
        }
        return .sync(token: token, reference: reference, systemActivityID: systemID)
    }
}

extension APIError {
    static var noSuchLiveActivity: APIError { APIError(.notFound, "this device has no such activity") }
}

extension JSONValue {
    /// What the app calls an activity that it opened by itself.
    func externalID() throws -> String? {
        guard try optional("external_id") != nil else { return nil }
        guard let text = try text("external_id"), text.utf8.count <= ExternalName.maximumLength else {
            throw APIError.invalid("external_id", "a string of 1 to \(ExternalName.maximumLength) bytes")
        }
        return text
    }

    /// Whether `external_id` is the user's own; else all users share it.
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
