public import LiveActivity

/// What a request to register or add users came to.
public struct RegistrationReport: Sendable {
    /// How many details of denied devices are kept at most.
    static let maximumDetails = 1000

    public internal(set) var activityID: UniqueID?
    public internal(set) var users = 0
    public internal(set) var devices = 0
    /// Devices that have a place, and no token for now: their phone reports for somebody else. They are counted in
    /// `skipped`.
    var waiting = 0
    /// Users all of whose places are of such devices.
    var waitingUsers = 0
    public internal(set) var skipped = SkipCounts()
    public internal(set) var gdprDenied: [DeviceKey] = []
    /// Some of the users have no eligible device.
    public internal(set) var isPartial = false

    /// Places in the roster.
    var slots: Int { devices + waiting }

    mutating func add(_ other: RegistrationReport) {
        users += other.users
        devices += other.devices
        waiting += other.waiting
        waitingUsers += other.waitingUsers
        skipped.add(other.skipped)
        gdprDenied += other.gdprDenied.prefix(RegistrationReport.maximumDetails - gdprDenied.count)
        isPartial = isPartial || other.isPartial
    }
}

/// Eligible devices on their way into a roster, in the order of their users.
struct RosterDraft {
    struct Entry {
        let key: DeviceKey
        /// Its number among the user's devices.
        let device: UInt32
        /// Empty for a device that waits for its phone to report for it again.
        let token: ArraySlice<UInt8>

        var cell: [UInt8] {
            token.isEmpty ? TokenPage.cell(reason: .noPushToStartToken) : TokenPage.cell(content: token)
        }
    }

    private(set) var entries: [Entry] = []
    var report = RegistrationReport()
    /// The users that have an entry, with their record as it was read.
    private(set) var users: [(insiderID: String, record: UserRecord, entries: Range<Int>)] = []

    init() {}

    /// - Parameter activity: the one that is joined, whose members are left as they are.
    init(_ insiderIDs: [String], _ records: [UserRecord?], type: String, joining activity: ActivityRecord? = nil) {
        for (insiderID, record) in zip(insiderIDs, records) {
            add(insiderID, record, type: type, joining: activity)
        }
    }

    mutating func add(
        _ insiderID: String, _ record: UserRecord?, type: String, joining activity: ActivityRecord? = nil
    ) {
        guard let record else { return skipUser(.unknownUser) }
        guard !record.devices.isEmpty else { return skipUser(.noDevice) }
        let membership = activity.flatMap { record.membership(in: $0.activity.id) }
        let first = entries.count
        var isMember = false
        var waiting = 0
        for device in record.devices {
            let key = DeviceKey(insiderID: insiderID, udid: device.udid)
            // A slot that was never confirmed is left over from an attempt that broke off.
            if let slot = membership?.slot(device: device.number), activity?.slots.contains(slot) == true {
                isMember = true
                continue
            }
            let token = record.pushToStartToken(device: device.number, type: type)
            if let reason = device.device.ineligibilityForStart(hasPushToStartToken: token != nil) {
                report.skipped[reason] += 1
                if device.device.ineligibilityForStart(hasPushToStartToken: true) == nil,
                    record.isElsewhere(device: device.number, type: type)
                {
                    waiting += 1
                    entries.append(Entry(key: key, device: device.number, token: []))
                }
                if reason == .gdprDenied, report.gdprDenied.count < RegistrationReport.maximumDetails {
                    report.gdprDenied.append(key)
                }
            } else if let token {
                entries.append(Entry(key: key, device: device.number, token: token.token))
            }
        }
        let eligible = entries.count - first - waiting
        if eligible == 0, !isMember { report.isPartial = true }
        guard entries.count > first else { return }
        users.append((insiderID, record, first..<entries.count))
        if eligible > 0 { report.users += 1 } else { report.waitingUsers += 1 }
        report.devices += eligible
        report.waiting += waiting
    }

    /// Takes the entries before `end` out. Their users go with them, but for one that has entries on both sides: he stays,
    /// with all of his.
    /// - Returns: what was taken out, and how many of the entries in it have stayed as well.
    mutating func removeFirst(_ end: Int) -> (draft: RosterDraft, stayed: Int) {
        var taken = RosterDraft()
        taken.entries = Array(entries[..<end])
        taken.users = Array(users.prefix { $0.entries.upperBound <= end })
        users.removeFirst(taken.users.count)
        let start = min(end, users.first?.entries.lowerBound ?? end)
        entries.removeFirst(start)
        users = users.map {
            ($0.insiderID, $0.record, ($0.entries.lowerBound - start)..<($0.entries.upperBound - start))
        }
        return (taken, end - start)
    }

    private mutating func skipUser(_ reason: SkipReason) {
        report.skipped[reason] += 1
        report.isPartial = true
    }
}
