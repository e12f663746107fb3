import GatewayStore
import Hummingbird
import LiveActivity

/// The query of a listing of activities. A parameter that is there and empty is as wrong as any other.
struct ActivityListingQuery {
    var filter = ActivityFilter()
    /// Only the activity that devices call so.
    var name: ExternalName?
    var limit = ActivityListingQuery.defaultLimit
    var cursor: ActivityCursor?

    static let defaultLimit = 100

    init(_ parameters: Parameters) throws {
        if let text = parameters.get("state") {
            guard let state = Activity.State(contractName: text) else {
                throw APIError.invalid("state", "REGISTERED, STARTED or DEAD")
            }
            filter.state = state
        }
        if let text = parameters.get("activity_type") {
            guard (1...JSONValue.maximumTypeLength).contains(text.utf8.count) else {
                throw APIError.invalid("activity_type", "a string of 1 to \(JSONValue.maximumTypeLength) bytes")
            }
            filter.type = text
        }
        if let text = parameters.get("opened_by") {
            guard let opener = ActivityOpener(rawValue: text) else {
                throw APIError.invalid("opened_by", "customer, device or any")
            }
            filter.openedBy = opener
        }
        name = try ExternalName(parameters)
        if let text = parameters.get("limit") {
            guard let limit = Int(text), (1...ActivityReader.longestActivityListing).contains(limit) else {
                throw APIError.invalid("limit", "a number from 1 to \(ActivityReader.longestActivityListing)")
            }
            self.limit = limit
        }
        if let text = parameters.get("cursor") {
            guard let cursor = ActivityCursor(text) else {
                throw APIError.invalid("cursor", "the cursor of an earlier reply of this endpoint")
            }
            guard name == nil else {
                throw APIError(.validationFailed, "cursor is not for external_id, which names one activity")
            }
            self.cursor = cursor
        }
    }
}

extension Activity.State {
    /// The contract's name.
    var contractName: String {
        switch self {
        case .registered: "REGISTERED"
        case .started: "STARTED"
        case .dead: "DEAD"
        }
    }

    init?(contractName: String) {
        guard
            let state = [.registered, .started, .dead].first(where: { (state: Self) in
                state.contractName == contractName
            })
        else { return nil }
        self = state
    }
}
