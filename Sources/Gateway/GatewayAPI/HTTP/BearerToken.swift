import HTTPTypes

/// The key of a client that gives it as `Authorization: Bearer KEY` (RFC 6750, section 2.1).
enum BearerToken {
    /// Nil when the field has another scheme, or no key.
    static func key(_ authorization: String?) -> String? {
        guard let authorization, let space = authorization.firstIndex(of: " "),
            authorization[..<space].lowercased() == "bearer"
        else { return nil }
        let key = authorization[space...].drop { $0 == " " }
        return key.isEmpty ? nil : String(key)
    }
}
