import Delivery
public import LiveActivity
import RosterCore

/// The result of a request to register or add users.
public struct RegistrationReport: Sendable {
    /// The most details of denied devices that a report keeps.
    static let maximumDetails = 1000

    /// The new activity; nil if none was made, or if users were added to an existing one.
    public internal(set) var activityID: UniqueID?
    /// The number of added users with at least one device that can be started.
    public internal(set) var users = 0
    /// The number of added devices that can be started.
    public internal(set) var devices = 0
    /// The number of devices with a slot but no token, because another login or device has reported it later. They
    /// count in `skipped` as well.
    var waiting = 0
    /// The number of added devices that allow frequent pushes.
    var frequentDevices = 0
    /// The number of added users who have only waiting devices.
    var waitingUsers = 0
    /// The numbers of skipped devices and users by reason.
    public internal(set) var skipped = SkipCounts()
    /// At most 1,000 devices whose user has denied consent. They count in `skipped` as well.
    public internal(set) var gdprDenied: [DeviceKey] = []
    /// True if some of the users have no eligible device.
    public internal(set) var isPartial = false

    var slots: Int { devices + waiting }

    mutating func add(_ other: RegistrationReport) {
        users += other.users
        devices += other.devices
        waiting += other.waiting
        frequentDevices += other.frequentDevices
        waitingUsers += other.waitingUsers
        skipped.add(other.skipped)
        gdprDenied += other.gdprDenied.prefix(RegistrationReport.maximumDetails - gdprDenied.count)
        isPartial = isPartial || other.isPartial
    }
}

/// Eligible devices before they get slots in a roster, in the order of their users.
struct RosterDraft {
    struct Entry {
        let key: DeviceKey
        /// The device's number among those of its user.
        let device: UInt32
        let kind: RouteKind
        /// Empty for a device that waits until its phone reports for it again.
        let token: ArraySlice<UInt8>
        /// The reason in its cell if it has no token.
        let reason: SkipReason
        /// The device's slot, see `place`.
        fileprivate(set) var slot: UInt32 = 0

        /// The content of its cell.
        var content: TokenPage.Content { token.isEmpty ? .none(reason) : .token(token) }
    }

    private(set) var entries: [Entry] = []
    var report = RegistrationReport()
    /// The users with entries, and their records as they were read.
    private(set) var users: [(insiderID: String, record: UserRecord, entries: Range<Int>)] = []

    /// The kinds of route that the app can push to; nil for all.
    private let served: Set<RouteKind>?
    /// True if devices that can follow a channel are to follow one.
    private let follows: Bool
    /// True if a device gets a slot whose token another login or device has reported later.
    private let waits: Bool

    init(served: Set<RouteKind>?, follows: Bool = false, waits: Bool = true) {
        (self.served, self.follows, self.waits) = (served, follows, waits)
    }

    /// - Parameter activity: The activity to join. Devices with a confirmed slot in it are not added.
    init(
        _ insiderIDs: [String], _ records: [UserRecord?], type: String, served: Set<RouteKind>?,
        follows: Bool = false, joining activity: ActivityRecord? = nil
    ) {
        self.init(served: served, follows: follows)
        for (insiderID, record) in zip(insiderIDs, records) {
            // An unconfirmed slot is left over from an interrupted attempt.
            add(insiderID, record, type: type, joining: activity) { activity?.slots.contains($0) == true }
        }
    }

    /// - Parameters:
    ///   - activity: The activity to join, if it has devices already.
    ///   - shown: The user's devices whose phone shows the activity under another login.
    ///   - isPlace: True if a slot that the user's device has in the activity remains its slot.
    mutating func add(
        _ insiderID: String, _ record: UserRecord?, type: String, joining activity: ActivityRecord? = nil,
        shown: Set<UInt32> = [], isPlace: (UInt32) -> Bool = { _ in false }
    ) {
        guard let record else { return skipUser(.unknownUser) }
        guard !record.devices.isEmpty else { return skipUser(.noDevice) }
        let membership = activity.flatMap { record.membership(in: $0.activity.id) }
        let first = entries.count
        var isMember = false
        var waiting = 0
        for device in record.devices {
            let key = DeviceKey(insiderID: insiderID, udid: device.udid)
            if let slot = membership?.slot(device: device.number), isPlace(slot) {
                isMember = true
                continue
            }
            guard !shown.contains(device.number) else {
                report.skipped[.active] += 1
                continue
            }
            if add(device, key, of: record, type: type) { waiting += 1 }
        }
        let eligible = entries.count - first - waiting
        if eligible == 0, !isMember { report.isPartial = true }
        guard entries.count > first else { return }
        users.append((insiderID, record, first..<entries.count))
        if eligible > 0 { report.users += 1 } else { report.waitingUsers += 1 }
        report.devices += eligible
        report.waiting += waiting
    }

    /// - Returns: True if the device waits for its token, which another login has.
    private mutating func add(
        _ device: UserRecord.UserDevice, _ key: DeviceKey, of record: UserRecord, type: String
    ) -> Bool {
        var kind = RouteKind(device.device)
        if follows, device.device.canFollowChannels { kind = kind.follower ?? kind }
        let isServed = served?.contains(kind.single) ?? true
        let token = isServed ? record.startToken(device, type: type) : nil
        let lack = device.device.lacksToken
        if let reason = device.device.ineligibilityForStart(hasToken: token != nil) {
            report.skipped[reason] += 1
            if reason == .gdprDenied, report.gdprDenied.count < RegistrationReport.maximumDetails {
                report.gdprDenied.append(key)
            }
            guard waits, isServed, device.device.ineligibilityForStart(hasToken: true) == nil,
                record.elsewhereToken(device, type: type) != nil
            else { return false }
            entries.append(Entry(key: key, device: device.number, kind: kind, token: [], reason: lack))
            return true
        }
        guard let token else { return false }
        let content = kind.hasOneToken ? RegistrationToken.cellContent(token.token)[...] : token.token
        entries.append(Entry(key: key, device: device.number, kind: kind, token: content, reason: lack))
        if device.device.frequentPushes { report.frequentDevices += 1 }
        return false
    }

    /// The number of slots that the entries take in each band.
    var wanted: BandSizes {
        entries.reduce(into: BandSizes()) { $0[$1.kind] += 1 }
    }

    /// Gives slots to the entries from an index on, in order, each in the band of its kind.
    mutating func place(from first: Int = 0, _ bands: inout BandSizes) {
        for index in entries.indices[first...] { entries[index].slot = bands.take(entries[index].kind) }
    }

    /// Removes the users whose entries satisfy the condition.
    /// - Returns: A draft of these users, with all entries that were here.
    mutating func takeUsers(where areReady: (ArraySlice<Entry>) -> Bool) -> RosterDraft {
        var taken = self
        taken.users = []
        let all = users
        (entries, users) = ([], [])
        for user in all {
            guard !areReady(taken.entries[user.entries]) else {
                taken.users.append(user)
                continue
            }
            let first = entries.count
            entries += taken.entries[user.entries]
            users.append((user.insiderID, user.record, first..<entries.count))
        }
        return taken
    }

    private mutating func skipUser(_ reason: SkipReason) {
        report.skipped[reason] += 1
        report.isPartial = true
    }
}
