extension Keys {
    static func tenant(_ id: String) -> String { "fanfare:{t:\(id)}" }

    /// The ids of all tenants.
    static let tenants = "fanfare:tenants"

    /// The lock under which a tenant is made, so that each name is given once.
    static let tenantNames = "fanfare:tenant-names"

    static func credential(_ hash: String) -> String { "fanfare:{k:\(hash)}" }

    static func rateWindow(_ hash: String) -> String { "fanfare:{k:\(hash)}:rate" }
}
