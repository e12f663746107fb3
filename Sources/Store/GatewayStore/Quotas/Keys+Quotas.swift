extension Keys {
    /// The requests in the last minute that gateways have reported for a device, a user or a tenant.
    static func requests(_ tenantID: String, _ name: String) -> String { "fanfare:{n:\(tenantID):\(name)}" }

    /// The counts of a tenant's users and devices, and the gateways' permits for more.
    static func usage(_ tenantID: String) -> String { "fanfare:{t:\(tenantID)}:use" }

    /// The ids of live activities that devices have opened: a tenant's, or those with a user's devices.
    static func opened(_ tenantID: String) -> String { "fanfare:{t:\(tenantID)}:open" }
    static func opened(_ tenantID: String, _ insiderID: String) -> String { "\(user(tenantID, insiderID)):o" }

    /// The reserved schedules of users' apps, which count against a tenant's quotas, and their users by age.
    static func reservedSchedules(_ tenantID: String) -> String { "fanfare:{t:\(tenantID)}:schedules" }
    static func reservedScheduleAges(_ tenantID: String) -> String { "\(reservedSchedules(tenantID)):ages" }

    /// The state of a project's send quota.
    static func quota(_ project: String) -> String { "fanfare:{q:\(project)}" }
}
