import GatewayStore
import Hummingbird

/// The query of `GET {activity_id}/devices`. A parameter that is there and empty is as wrong as any other.
struct DeviceListingQuery {
    let state: DeviceState?
    let limit: Int
    let cursor: DeviceCursor?

    static let defaultLimit = 100

    init(_ parameters: Parameters) throws {
        state = try parameters.get("state").map { text in
            guard let state = DeviceState(rawValue: text) else {
                let names = DeviceState.allCases.map(\.rawValue).joined(separator: ", ")
                throw APIError.invalid("state", "one of \(names)")
            }
            return state
        }
        limit =
            try parameters.get("limit").map { text in
                guard let limit = Int(text), (1...ActivityReader.longestListing).contains(limit) else {
                    throw APIError.invalid("limit", "a number from 1 to \(ActivityReader.longestListing)")
                }
                return limit
            }
            ?? DeviceListingQuery.defaultLimit
        cursor = try parameters.get("cursor").map { text in
            guard let cursor = DeviceCursor(text) else {
                throw APIError.invalid("cursor", "the cursor of an earlier reply of this endpoint")
            }
            return cursor
        }
    }
}
