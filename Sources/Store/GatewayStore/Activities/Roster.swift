import Delivery
public import LiveActivity
import RosterCore

/// What a request to register or add users came to.
public struct RegistrationReport: Sendable {
    /// How many details of denied devices are kept at most.
    static let maximumDetails = 1000

    /// The activity that was made; nil when none was, and when users were added to one.
    public internal(set) var activityID: UniqueID?
    /// Users who came in with at least one device that can be started on.
    public internal(set) var users = 0
    /// Devices that came in and can be started on.
    public internal(set) var devices = 0
    /// Devices that have a place, and no token for now: their phone reports for somebody else. They are counted in
    /// `skipped`.
    var waiting = 0
    /// Of the devices that came in, those that allow more updates an hour than others.
    var frequentDevices = 0
    /// Users all of whose places are of such devices.
    var waitingUsers = 0
    /// Devices and users that were passed over, by reason.
    public internal(set) var skipped = SkipCounts()
    /// Devices whose user has denied it, at most 1,000 of them. They are in `skipped` as well.
    public internal(set) var gdprDenied: [DeviceKey] = []
    /// Some of the users have no eligible device.
    public internal(set) var isPartial = false

    /// Places in the roster.
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

/// Eligible devices on their way into a roster, in the order of their users.
struct RosterDraft {
    struct Entry {
        let key: DeviceKey
        /// Its number among the user's devices.
        let device: UInt32
        let kind: RouteKind
        /// Empty for a device that waits for its phone to report for it again.
        let token: ArraySlice<UInt8>
        /// What its cell says when it is empty.
        let reason: SkipReason
        /// Its place, see `place`.
        fileprivate(set) var slot: UInt32 = 0

        /// What its cell holds.
        var content: TokenPage.Content { token.isEmpty ? .none(reason) : .token(token) }
    }

    private(set) var entries: [Entry] = []
    var report = RegistrationReport()
    /// The users that have an entry, with their record as it was read.
    private(set) var users: [(insiderID: String, record: UserRecord, entries: Range<Int>)] = []

    /// The kinds of route by which the app reaches anybody; nil for all.
    private let served: Set<RouteKind>?
    /// Whether devices that can are to follow a channel.
    private let follows: Bool

    init(served: Set<RouteKind>?, follows: Bool = false) {
        self.served = served
        self.follows = follows
    }

    /// - Parameter activity: the one that is joined, whose members are left as they are.
    init(
        _ insiderIDs: [String], _ records: [UserRecord?], type: String, served: Set<RouteKind>?,
        follows: Bool = false, joining activity: ActivityRecord? = nil
    ) {
        self.served = served
        self.follows = follows
        for (insiderID, record) in zip(insiderIDs, records) {
            // A slot that was never confirmed is left over from an attempt that broke off.
            add(insiderID, record, type: type, joining: activity) { activity?.slots.contains($0) == true }
        }
    }

    /// - Parameters:
    ///   - activity: the one that is joined, if it has devices already.
    ///   - shown: The user's devices whose phone shows the activity under another login.
    ///   - isPlace: whether a slot that a device of the user has in it stays its place.
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
            var kind = RouteKind(device.device)
            if follows, device.device.canFollowChannels { kind = kind.follower ?? kind }
            let isServed = served?.contains(kind.single) ?? true
            let token = isServed ? record.startToken(device, type: type) : nil
            let lack = device.device.lacksToken
            if let reason = device.device.ineligibilityForStart(hasToken: token != nil) {
                report.skipped[reason] += 1
                if isServed, device.device.ineligibilityForStart(hasToken: true) == nil,
                    record.elsewhereToken(device, type: type) != nil
                {
                    waiting += 1
                    entries.append(Entry(key: key, device: device.number, kind: kind, token: [], reason: lack))
                }
                if reason == .gdprDenied, report.gdprDenied.count < RegistrationReport.maximumDetails {
                    report.gdprDenied.append(key)
                }
            } else if let token {
                let content = kind.hasOneToken ? RegistrationToken.cellContent(token.token)[...] : token.token
                entries.append(Entry(key: key, device: device.number, kind: kind, token: content, reason: lack))
                if device.device.frequentPushes { report.frequentDevices += 1 }
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

    /// How many slots the entries take of each band.
    var wanted: BandSizes {
        entries.reduce(into: BandSizes()) { $0[$1.kind] += 1 }
    }

    /// Gives slots to the entries from an index on, each in the band of its kind, in their order.
    mutating func place(from first: Int = 0, _ bands: inout BandSizes) {
        for index in entries.indices[first...] { entries[index].slot = bands.take(entries[index].kind) }
    }

    /// Takes out the users whose entries satisfy the condition.
    /// - Returns: these users, with all entries that were here.
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
