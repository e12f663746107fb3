import Hummingbird
import LiveActivity

/// The activity of a customer's request: `activity_id`, or `external_id` with its type and owner.
enum NamedActivity {
    /// An id; nil for text that is not an id of a gateway, which matches no activity.
    case id(UniqueID?)
    case external(ExternalName)

    /// Parses a body.
    init(_ body: JSONValue) throws {
        guard let name = try ExternalName(body) else {
            self = .id(try body.activityID())
            return
        }
        guard try body.text("activity_id") == nil else { throw NamedActivity.both }
        self = .external(name)
    }

    /// Parses a query.
    init(_ query: Parameters) throws {
        let id = query.get("activity_id")
        if let name = try ExternalName(query) {
            guard id == nil else { throw NamedActivity.both }
            self = .external(name)
        } else {
            guard let id, !id.allSatisfy(\.isWhitespace) else {
                throw APIError(.activityIDRequired, "activity_id is required: the id from the reply of register")
            }
            self = .id(UniqueID(id))
        }
    }

    private static var both: APIError {
        APIError(.validationFailed, "send either activity_id or external_id, not both")
    }
}

extension ExternalName {
    /// Parses `external_id`, `activity_type` and `insider_id` of a customer's body; nil without an `external_id`.
    init?(_ body: JSONValue) throws {
        let owner = try body.optional("insider_id") == nil ? nil : body.name("insider_id")
        guard let id = try body.externalID() else {
            guard owner == nil else { throw ExternalName.idMissing }
            return nil
        }
        self.init(id, type: try body.activityType(), owner: owner)
    }

    /// Parses `external_id`, `activity_type` and `insider_id` of a query. An empty parameter is invalid.
    init?(_ query: Parameters) throws {
        guard let id = query.get("external_id") else {
            guard query.get("insider_id") == nil else { throw ExternalName.idMissing }
            return nil
        }
        guard (1...ExternalName.maximumLength).contains(id.utf8.count),
            let type = query.get("activity_type"), (1...JSONValue.maximumTypeLength).contains(type.utf8.count)
        else {
            throw APIError.invalid(
                "external_id", "a string of 1 to \(ExternalName.maximumLength) bytes, sent with activity_type")
        }
        let owner = query.get("insider_id")
        if let owner, !DeviceKey.isName(owner) { throw JSONValue.invalidName("insider_id") }
        self.init(id, type: type, owner: owner)
    }

    private static var idMissing: APIError {
        APIError(.validationFailed, "insider_id is only for external_id, for a user's own activity; see target_devices")
    }
}

extension CustomerAPI {
    /// Returns the id of a request's activity; nil if it does not exist. Does not check its state or tenant.
    func id(of activity: NamedActivity, _ tenantID: String) async throws -> UniqueID? {
        switch activity {
        case .id(let id): id
        case .external(let name): try await store.activities.deviceInitiatedActivity(name, tenantID: tenantID)
        }
    }
}
