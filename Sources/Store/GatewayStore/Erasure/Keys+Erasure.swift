import LiveActivity

extension Keys {
    /// What was taken out of a user's hash to be erased, see `SetAside`.
    static func setAside(_ erasure: Erasure) -> String {
        "\(user(erasure.tenantID, erasure.insiderID)):x:\(erasure.id)"
    }

    /// That the activity has counted out who an erasure takes from it. Kept a little longer than the erasure.
    static func left(_ activity: UniqueID, _ erasure: Erasure) -> String {
        "\(self.activity(activity)):left:\(erasure.id)"
    }

    /// The erasures of a user, and of the user's devices, that have something set aside and are not concluded: by their
    /// items of the due queue, when that was. Kept as long as what was set aside.
    static func openErasures(_ tenantID: String, _ insiderID: String) -> String {
        "\(user(tenantID, insiderID)):x:open"
    }

    /// There while anybody of the tenant may have something at `erased`: where it is not, an import asks for nobody's.
    static func erasing(_ tenantID: String) -> String { "fanfare:{t:\(tenantID)}:erasing" }

    /// When the user was last erased (in the empty field), and which devices (by their fields in the user's hash): what
    /// was reported before that is passed over. Kept as long as such a report may be under way.
    static func erased(_ tenantID: String, _ insiderID: String) -> String { "\(user(tenantID, insiderID)):x" }
}
