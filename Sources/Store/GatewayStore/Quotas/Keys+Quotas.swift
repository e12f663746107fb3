extension Keys {
    /// The requests of the last minute that gateways have told of: of a device, a user or a tenant.
    static func requests(_ tenantID: String, _ name: String) -> String { "fanfare:{n:\(tenantID):\(name)}" }

    /// How many users and devices a tenant has.
    static func usage(_ tenantID: String) -> String { "fanfare:{t:\(tenantID)}:use" }

    /// The activities opened by devices that are alive: a tenant's, and those that one user's devices are in.
    static func opened(_ tenantID: String) -> String { "fanfare:{t:\(tenantID)}:open" }
    static func opened(_ tenantID: String, _ insiderID: String) -> String { "\(user(tenantID, insiderID)):o" }

    /// The schedules of users' apps that count against a tenant's quotas, and their users by age.
    static func reservedSchedules(_ tenantID: String) -> String { "fanfare:{t:\(tenantID)}:schedules" }
    static func reservedScheduleAges(_ tenantID: String) -> String { "\(reservedSchedules(tenantID)):ages" }

    /// What may be sent for a project.
    static func quota(_ project: String) -> String { "fanfare:{q:\(project)}" }
}
