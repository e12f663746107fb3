extension Keys {
    /// The requests of the last minute that gateways have told of: of a device, a user or a tenant.
    static func requests(_ tenantID: String, _ name: String) -> String { "fanfare:{n:\(tenantID):\(name)}" }

    /// What may be sent for a project.
    static func quota(_ project: String) -> String { "fanfare:{q:\(project)}" }
}
