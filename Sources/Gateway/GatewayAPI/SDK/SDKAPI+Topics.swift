import GatewayStore
import LiveActivity

extension SDKAPI {
    /// The topics that the device's user follows, with their state on this device.
    func topics(_ query: DeviceQuery) async throws -> Reply {
        let followed = try await topics.followed(query.key, tenantID: query.tenantID)
        return .success { writer in
            writer.array("topics") { array in
                for entry in followed {
                    array.object {
                        $0.field("topic", entry.topic.id.name)
                        $0.field("activity_type", entry.topic.type)
                        $0.field("state", entry.topic.state.rawValue)
                        $0.field("activity_id", entry.topic.activityID?.description)
                        $0.field("device_state", entry.deviceState?.rawValue)
                    }
                }
            }
        }
    }
}
