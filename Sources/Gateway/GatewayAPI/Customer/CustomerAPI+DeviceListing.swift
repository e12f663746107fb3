import Delivery
import GatewayStore
import LiveActivity
import TimeCore

extension CustomerAPI {
    /// A page of an activity's devices, with what became of each.
    func devices(_ request: CustomerRequest) async throws -> Reply {
        let query = try DeviceListingQuery(request.query)
        let record = try await readable(request).record
        let listing = try await store.reader.devices(
            of: record, in: query.state, limit: query.limit, from: query.cursor)
        return .success { writer in
            writer.array("devices") { array in
                for device in listing.devices {
                    array.object {
                        $0.field("insider_id", device.key.insiderID)
                        $0.field("udid", device.key.udid)
                        $0.field("state", device.state.rawValue)
                        $0.field("end_reason", device.endReason?.name)
                        $0.field("last_outcome", device.lastOutcome.map { $0.failure ?? "accepted" })
                        $0.field("last_outcome_at", device.lastOutcome?.at.rfc3339)
                        $0.field("cohort", device.cohort.rawValue)
                    }
                }
            }
            writer.field("cursor", listing.next?.text)
        }
    }
}
