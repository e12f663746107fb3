import FlatMemory
import TimeCore

/// A page of which not all devices have their outcome, in memory that the next page uses again.
struct OpenPage: ~Copyable {
    struct Progress: BitwiseCopyable {
        /// No retry begins later, on the monotonic clock; set when the device is first pushed.
        var retryUntil: UInt64 = 0
        var attempts: UInt8 = 0
    }

    private(set) var isInUse = false
    private(set) var number = 0
    private var devices = PlainBuffer<BroadcastPage.Device>()
    private var bytes = PlainBuffer<UInt8>()
    private var progress = PlainBuffer<Progress>()
    /// The next device that has not been sent anything.
    private var next = 0
    /// How many devices have no final outcome yet.
    private(set) var open = 0
    // Indexes of devices by outcome.
    private var accepted = PlainBuffer<UInt16>()
    private var failed: [UInt16] = []
    private var failedFor: [UInt8] = []
    private var reasons: [String] = []
    private var unknown: [UInt16] = []
    private var dead: [PageResult.DeadToken] = []
    private var tally = BroadcastTally()
    private var leftCount = 0

    mutating func begin(_ page: BroadcastPage) {
        isInUse = true
        number = page.number
        devices.removeAll()
        page.devices.withUnsafeBufferPointer { devices.append(contentsOf: $0) }
        bytes.removeAll()
        page.bytes.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        progress.removeAll()
        for _ in page.devices { progress.append(Progress()) }
        next = 0
        open = devices.count
        accepted.removeAll()
        failed = []
        failedFor = []
        reasons = []
        unknown = []
        dead = []
        tally = BroadcastTally()
        tally.count(.unsendable, page.invalid)
        leftCount = 0
    }

    /// What became of the page; its place is free again.
    mutating func finish() -> PageResult {
        isInUse = false
        tally.accepted = accepted.count
        tally.count(.unknown, unknown.count)
        return PageResult(
            number: number, accepted: Array(accepted.all), failed: failed, failedFor: failedFor, reasons: reasons,
            unknown: unknown, dead: dead, tally: tally, left: leftCount)
    }

    /// How many devices have not been sent anything.
    var waiting: Int { isInUse ? devices.count - next : 0 }

    /// The position of the next device that has not been sent anything; nil when there is none left.
    @inline(__always)
    mutating func takeNext() -> Int? {
        guard isInUse, next < devices.count else { return nil }
        defer { next += 1 }
        return next
    }

    /// Valid until the page is finished.
    @inline(__always)
    func target(_ position: Int) -> BroadcastCore.Target {
        let device = devices[position]
        let token = bytes.all[Int(device.tokenStart)..<(Int(device.tokenStart) + Int(device.tokenLength))]
        return BroadcastCore.Target(
            token: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: token)), page: number, index: device.index)
    }

    /// The device is sent its first push.
    @inline(__always)
    mutating func pushed(_ position: Int, retryUntil: MonotonicTime) {
        progress[position].retryUntil = retryUntil.nanoseconds
    }

    /// One more try has failed.
    mutating func attempted(_ position: Int) -> Progress {
        progress[position].attempts &+= 1
        return progress[position]
    }

    @inline(__always)
    mutating func accepted(_ position: Int) {
        accepted.append(devices[position].index)
        open -= 1
    }

    mutating func failed(_ position: Int, _ reason: String) {
        failed.append(devices[position].index)
        failedFor.append(place(of: reason))
        tally.failed[reason, default: 0] += 1
        open -= 1
    }

    /// Where a reason stands among those of the page. There are few of them; beyond 255 they share a place.
    private mutating func place(of reason: String) -> UInt8 {
        if let place = reasons.firstIndex(of: reason) { return UInt8(place) }
        guard reasons.count < 255 else { return 254 }
        reasons.append(reason)
        return UInt8(reasons.count - 1)
    }

    mutating func unknown(_ position: Int) {
        unknown.append(devices[position].index)
        open -= 1
    }

    mutating func superseded() {
        tally.superseded += 1
        open -= 1
    }

    mutating func left() {
        leftCount += 1
        open -= 1
    }

    mutating func died(_ position: Int, _ reason: String, since: UInt64?) {
        let target = target(position)
        dead.append(PageResult.DeadToken(index: target.index, since: since, token: Array(target.token)))
        failed(position, reason)
    }
}
