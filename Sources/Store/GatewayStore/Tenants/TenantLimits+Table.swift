extension TenantLimits.Limit {
    struct Row {
        let name: String
        let fallback: Int
        let range: ClosedRange<Int>
        let mayBeOff: Bool
        let summary: String
    }

    /// The subject of the limit, for error messages.
    var subject: String {
        switch self {
        case .deviceRequests: "the device"
        case .userRequests, .devicesPerUser, .openedActivitiesPerUser, .appSchedulesPerUser, .appScheduleBytesPerUser:
            "the user"
        case .sdkRequests, .newDevices, .users, .devices, .openedActivities, .appSchedules, .appScheduleBytes, .weight:
            "the tenant"
        }
    }

    /// More than any store holds; far from where sums overflow.
    private static let most = 1_000_000_000_000

    var row: Row {
        switch self {
        case .deviceRequests:
            Row(
                "device_sdk_requests_per_minute", 120, 1...1_000_000, off: true,
                "SDK requests of a device a minute")
        case .userRequests:
            Row("user_sdk_requests_per_minute", 600, 1...1_000_000, off: true, "SDK requests of a user a minute")
        case .sdkRequests:
            Row("sdk_requests_per_minute", 0, 1...Self.most, off: true, "SDK requests of the tenant a minute")
        case .newDevices:
            Row(
                "new_devices_per_minute", 100_000, 1...Self.most, off: true,
                "new devices a minute")
        case .devicesPerUser:
            // A user's hash is read whole.
            Row(
                "devices_per_user", 100, 1...200, off: false,
                "devices of a user; at the limit the least needed is replaced"
            )
        case .users: Row("users", 100_000_000, 1...Self.most, off: true, "users of the tenant")
        case .devices: Row("devices", 100_000_000, 1...Self.most, off: true, "devices of the tenant")
        case .openedActivities:
            Row(
                "opened_activities", 1_000_000, 1...100_000_000, off: true,
                "concurrent device-initiated activities")
        case .openedActivitiesPerUser:
            Row(
                "opened_activities_per_user", 50, 1...200, off: false,
                "concurrent device-initiated activities of a user")
        case .appSchedules:
            Row("app_schedules", 1_000_000, 1...100_000_000, off: true, "pending app schedules")
        case .appScheduleBytes:
            Row("app_schedule_bytes", 1 << 30, 1...Self.most, off: true, "payload bytes of pending app schedules")
        case .appSchedulesPerUser:
            // A user's reservations are read whole.
            Row(
                "app_schedules_per_user", 200, 1...1000, off: false, "pending app schedules of a user")
        case .appScheduleBytesPerUser:
            Row(
                "app_schedule_bytes_per_user", 256 << 10, 1...Self.most, off: true,
                "payload bytes of pending app schedules of a user")
        case .weight:
            Row("weight", 1, 1...100, off: false, "factor of the tenant's share of limited resources")
        }
    }
}

extension TenantLimits.Limit.Row {
    fileprivate init(
        _ name: String, _ fallback: Int, _ range: ClosedRange<Int>, off mayBeOff: Bool, _ summary: String
    ) {
        self.init(name: name, fallback: fallback, range: range, mayBeOff: mayBeOff, summary: summary)
    }
}
