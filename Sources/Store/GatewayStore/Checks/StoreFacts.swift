public import TimeCore

/// The facts that Redis reports about itself. Unknown facts are nil.
public struct StoreFacts: Sendable {
    /// The fields of INFO.
    public var info: [String: String] = [:]
    /// `appendfsync` and `save` from CONFIG GET.
    public var settings: [String: String] = [:]
    /// True if the default user may write to the gateway's keys.
    public var defaultUserMayWrite: Bool?
    /// The availability of WAITAOF, which Redis has from version 7.2.
    public var fileWait = FileWait.unknown
    /// The milliseconds by which the gateway's clock is ahead of Redis's.
    public var clockSkew: Int64?
    /// The largest allowed difference of the clocks.
    public var maximumClockSkew = TimeInterval.seconds(300)
    /// The missing rights, and the command that grants them; nil if none is missing.
    public var missingRights: (commands: [String], remedy: String)?

    /// The availability of WAITAOF.
    public enum FileWait: Sendable {
        case offered
        /// Redis knows the command, but the gateway's user may not run it.
        case denied
        /// Redis does not know the command, or did not answer.
        case unknown
    }

    public init() {}
}

// The rules as pure functions.
extension StoreFacts {
    /// The oldest Redis with all commands. XAUTOCLAIM and SET with PXAT exist from 6.2.
    static let oldestVersion = [6, 2]
    private static let fullShare = 0.8

    /// All checks, in the order of their names' declaration.
    public var checks: [StoreCheck] {
        StoreCheck.Name.allCases.map { StoreCheck($0, finding($0)) }
    }

    /// True if starts wait for the append-only file. With `always` each reply already implies it, and in a cluster a
    /// replica has the write.
    var holdsStarts: Bool {
        fileWait == .offered && number("aof_enabled") == 1 && number("cluster_enabled") != 1
            && settings["appendfsync"] == "everysec"
    }

    /// The number of replicas of a single server; 0 in a cluster.
    var connectedReplicas: Int { number("cluster_enabled") == 1 ? 0 : Int(number("connected_slaves") ?? 0) }

    /// The bytes that Redis uses, and the maximum, 0 for none; nil if either is not known.
    public var memoryUse: (used: Int64, most: Int64)? {
        guard let used = number("used_memory"), let most = number("maxmemory") else { return nil }
        return (used, most)
    }

    private func finding(_ name: StoreCheck.Name) -> StoreCheck.Finding {
        switch name {
        case .eviction: eviction
        case .persistence: persistence
        case .version: version
        case .memory: memory
        case .clock: clock
        case .aclDefaultUser: defaultUser
        case .rights: rights
        }
    }

    /// Returns the commands that change settings, both in the running Redis and in its file.
    private func setting(_ settings: String...) -> String {
        let commands = settings.map { "CONFIG SET \($0)" }.joined(separator: ", ")
        let lines = settings.map { "\"\($0)\"" }.joined(separator: " and ")
        return "\(commands); also put \(lines) into redis.conf, because a restart of Redis resets this"
    }

    private func number(_ field: String) -> Int64? { info[field].flatMap { Int64($0) } }

    private var eviction: StoreCheck.Finding {
        guard let policy = info["maxmemory_policy"] else { return .unknown }
        guard policy != "noeviction" else { return .good }
        // Without a limit nothing is evicted yet.
        let text = "Redis may evict keys when its memory is full (maxmemory-policy \(policy)): broadcasts would be lost"
        let remedy = setting("maxmemory-policy noeviction")
        return number("maxmemory") == 0 ? .warning(text, remedy: remedy) : .danger(text, remedy: remedy)
    }

    private var persistence: StoreCheck.Finding {
        guard let isOn = number("aof_enabled") else { return .unknown }
        let remedy = setting("appendonly yes", "appendfsync always")
        guard isOn == 1 else {
            let hasSnapshots = settings["save"].map { !$0.isEmpty }
            return .danger(
                hasSnapshots == true
                    ? "Redis writes only snapshots: if it ends, all later data is lost"
                    : "Redis writes no append-only file: if it ends, data outside a snapshot is lost",
                remedy: remedy)
        }
        if info["aof_last_write_status"].map({ $0 != "ok" }) == true {
            return .danger(
                "Redis cannot write its append-only file", remedy: "see Redis's log, and check whether its disk is full"
            )
        }
        switch settings["appendfsync"] {
        case nil: return .unknown
        case "always": return .good
        case "everysec":
            return .danger(
                "with appendfsync everysec a Redis that is killed while its disk is slow loses writes that it has confirmed"
                    + (holdsStarts ? ", except starts, which wait for the file" : ""),
                remedy: setting("appendfsync always")
                    + (fileWait == .denied ? ", or at least grant the gateway's user WAITAOF, for starts" : ""))
        case let other?:
            return .danger(
                "with appendfsync \(other) the operating system decides when data is on disk",
                remedy: setting("appendfsync always"))
        }
    }

    private var versionNumbers: [Int]? {
        guard let numbers = info["redis_version"]?.split(separator: ".").prefix(2).map({ Int($0) }), numbers.count == 2,
            let major = numbers[0], let minor = numbers[1]
        else { return nil }
        return [major, minor]
    }

    private var version: StoreCheck.Finding {
        guard let present = versionNumbers else { return .unknown }
        guard present.lexicographicallyPrecedes(StoreFacts.oldestVersion) else { return .good }
        let oldest = StoreFacts.oldestVersion.map(String.init).joined(separator: ".")
        return .danger(
            "Redis \(info["redis_version"] ?? "") lacks commands that the gateway needs",
            remedy: "use Redis \(oldest) or newer")
    }

    private var memory: StoreCheck.Finding {
        guard let (used, most) = memoryUse else { return .unknown }
        guard most > 0, Double(used) >= StoreFacts.fullShare * Double(most) else { return .good }
        return .warning(
            "Redis uses \(used * 100 / most) % of its maxmemory; a full Redis refuses all writes",
            remedy: "raise maxmemory")
    }

    private var clock: StoreCheck.Finding {
        guard let skew = clockSkew else { return .unknown }
        guard skew.magnitude * 1_000_000 > maximumClockSkew.nanoseconds else { return .good }
        return .danger(
            "this machine's clock is \(skew.magnitude / 1000) s \(skew > 0 ? "ahead of" : "behind") Redis's, so this "
                + "gateway takes no work",
            remedy: "synchronize the clocks of both machines (redis.max_clock_skew is the maximum difference)")
    }

    /// On loading its append-only file, Redis runs transactions with the default user's rights and silently skips what
    /// that user may not do. A script with more than one write is stored as a transaction.
    private var defaultUser: StoreCheck.Finding {
        guard let mayWrite = defaultUserMayWrite, let isOn = number("aof_enabled") else { return .unknown }
        guard isOn == 1, !mayWrite else { return .good }
        return .danger(
            "Redis's default user has no write rights, so a restart of Redis drops writes of scripts from the "
                + "append-only file",
            remedy: "ACL SETUSER default ~* &* +@all, and ACL SAVE; a user that is off still cannot sign in")
    }

    private var rights: StoreCheck.Finding {
        guard let missing = missingRights else { return .good }
        return .danger(
            "the gateway's Redis user lacks the rights for \(missing.commands.joined(separator: ", "))",
            remedy: missing.remedy)
    }
}
