import GatewayStore
import LiveActivity

extension CustomerAPI {
    /// A page of an activity's devices, with what became of each.
    func devices(of id: UniqueID?, _ query: DeviceListingQuery, tenantID: String) async throws -> Reply {
        guard let id, let record = try await store.activity(id), record.activity.tenantID == tenantID else {
            throw APIError(.notFound, "no such activity")
        }
        let listing = try await store.devices(
            of: record, in: query.state, limit: query.limit, from: query.cursor)
        return .success { writer in
            writer.array("devices") { array in
                for device in listing.devices {
                    array.object {
                        $0.field("insider_id", device.key.insiderID)
                        $0.field("udid", device.key.udid)
                        $0.field("state", device.state.rawValue)
                        $0.field("last_outcome", device.lastOutcome)
                    }
                }
            }
            writer.field("cursor", listing.next?.text)
        }
    }
}
