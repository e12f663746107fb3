extension Keys {
    static func tenant(_ id: String) -> String { "fanfare:{t:\(id)}" }

    /// The ids of all tenants.
    static let tenants = "fanfare:tenants"

    static func credential(_ hash: String) -> String { "fanfare:{k:\(hash)}" }

    static func rateWindow(_ hash: String) -> String { "fanfare:{k:\(hash)}:rate" }
}
