import LiveActivity

extension Keys {
    /// The data taken from a user's hash for an erasure, see `SetAside`.
    static func setAside(_ erasure: Erasure) -> String {
        "\(user(erasure.tenantID, erasure.insiderID)):x:\(erasure.id)"
    }

    /// Present if the activity's counts no longer include the erased devices. Kept a little longer than the erasure.
    static func left(_ activity: UniqueID, _ erasure: Erasure) -> String {
        "\(self.activity(activity)):left:\(erasure.id)"
    }

    /// The erasures of a user and of the user's devices that are not concluded, with their times, by their items of the
    /// due queue. Kept as long as the set-aside data.
    static func openErasures(_ tenantID: String, _ insiderID: String) -> String {
        "\(user(tenantID, insiderID)):x:open"
    }

    /// Present while an `erased` key of the tenant may exist. An import checks these keys only then.
    static func erasing(_ tenantID: String) -> String { "fanfare:{t:\(tenantID)}:erasing" }

    /// The time of the user's last erasure (in the empty field), and those of devices (by their fields in the user's
    /// hash). Earlier reports are dropped. Kept as long as a report may take.
    static func erased(_ tenantID: String, _ insiderID: String) -> String { "\(user(tenantID, insiderID)):x" }
}
