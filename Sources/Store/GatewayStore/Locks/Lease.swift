import TimeCore

/// A key that names its holder, and expires with it. The calls reply true if the holder has the lease now.
enum Lease {
    /// Acquires a lease that has no holder.
    static func take(_ key: String, as holder: String, for time: TimeInterval) -> ScriptCall<Bool> {
        call(key, holder, time, only: "free")
    }

    /// Acquires or renews a lease.
    static func hold(_ key: String, as holder: String, for time: TimeInterval) -> ScriptCall<Bool> {
        call(key, holder, time, only: "")
    }

    /// Renews a lease that has not expired since it was acquired.
    static func renew(_ key: String, as holder: String, for time: TimeInterval) -> ScriptCall<Bool> {
        call(key, holder, time, only: "own")
    }

    /// Releases a lease, unless it is another holder's.
    static func giveBack(_ key: String, as holder: String) -> ScriptCall<Bool> {
        Scripts.lease(lease: key, holder: holder, lifetime: 0, only: "")
    }

    private static func call(
        _ key: String, _ holder: String, _ time: TimeInterval, only: String
    ) -> ScriptCall<Bool> {
        let lifetime = max(1, Int(clamping: time.millisecondsRoundedUp))
        return Scripts.lease(lease: key, holder: holder, lifetime: lifetime, only: only)
    }
}
