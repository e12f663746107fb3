import FlatMemory

/// A page with devices that have no outcome yet. The next page reuses its memory.
struct OpenPage: ~Copyable {
    private struct Progress: BitwiseCopyable {
        var attempts: UInt8 = 0
        /// The position in `refusals` of the provider's last refusal, from 1; 0 for none.
        var refusal: UInt8 = 0
        /// True if the store has a note that the device may have received a push.
        var isNoted = false
    }

    private(set) var isInUse = false
    private(set) var number = 0
    private var devices = PlainBuffer<BroadcastPage.Device>()
    private var bytes = PlainBuffer<UInt8>()
    private var progress = PlainBuffer<Progress>()
    /// True if another gateway may have sent the page in part.
    private(set) var isInDoubt = false
    /// The position of the next device to take.
    private var next = 0
    /// The number of devices without a final outcome, and how many of them wait for a retry.
    private(set) var open = 0
    var retrying = 0
    /// The indexes of accepted devices that are not reported yet. Nearly all devices are accepted.
    private var accepted = PlainBuffer<UInt16>()
    /// All other outcomes that are not reported yet.
    private var others: PageResult?
    /// The reasons that `Progress.refusal` refers to.
    private var refusals: [String] = []
    /// Counts that are reported once, when the page is finished: devices without a readable token, superseded and left.
    private var invalid = 0
    private var supersededCount = 0
    /// The position of the first superseded device.
    private var supersededFrom: Int?
    private var leftCount = 0

    mutating func begin(_ page: BroadcastPage, isInDoubt: Bool = false) {
        isInUse = true
        self.isInDoubt = isInDoubt
        number = page.number
        devices.removeAll()
        page.devices.withUnsafeBufferPointer { devices.append(contentsOf: $0) }
        bytes.removeAll()
        page.bytes.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        progress.removeAll()
        for _ in page.devices { progress.append(Progress()) }
        next = 0
        open = devices.count
        retrying = 0
        accepted.removeAll()
        others = nil
        refusals = []
        invalid = page.invalid
        supersededCount = 0
        supersededFrom = nil
        leftCount = 0
    }

    /// Ends the page and frees its place. Returns the outcomes that are not reported yet.
    mutating func finish() -> PageResult {
        isInUse = false
        var result = take(isFinal: true)
        result.tally.count(.unsendable, invalid)
        result.tally.superseded = supersededCount
        if let supersededFrom { result.supersededFrom = devices[supersededFrom].index }
        result.left = leftCount
        return result
    }

    /// Returns the outcomes that are not reported yet, nil without any. The page stays open.
    mutating func takeOutcomes() -> PageResult? {
        hasOutcomes ? take(isFinal: false) : nil
    }

    var hasReleased: Bool { isInUse && others?.released.isEmpty == false }

    var hasOutcomes: Bool { isInUse && (!accepted.isEmpty || others != nil) }

    private mutating func take(isFinal: Bool) -> PageResult {
        var result = others ?? PageResult(number: number)
        others = nil
        result.isFinal = isFinal
        result.accepted = Array(accepted.all)
        result.tally.accepted = accepted.count
        accepted.removeAll()
        return result
    }

    /// Changes the next report.
    private mutating func note(_ change: (inout PageResult) -> Void) {
        if others == nil { others = PageResult(number: number) }
        change(&others!)
    }

    /// The number of devices that are not taken.
    var waiting: Int { isInUse ? devices.count - next : 0 }

    /// Takes the next devices, at most `limit`. Returns their positions, nil if none is left.
    @inline(__always)
    mutating func takeNext(_ limit: Int) -> Range<Int>? {
        guard isInUse, next < devices.count, limit > 0 else { return nil }
        let first = next
        next += min(limit, devices.count - next)
        return first..<next
    }

    func index(_ position: Int) -> UInt16 { devices[position].index }

    func indexes(_ positions: Range<Int>) -> [UInt16] { devices.all[positions].map(\.index) }

    /// The destination of a device's push. Valid until the page is finished.
    @inline(__always)
    func target(_ position: Int) -> BroadcastCore.Target {
        let device = devices[position]
        let token = bytes.all[Int(device.tokenStart)..<(Int(device.tokenStart) + Int(device.tokenLength))]
        return BroadcastCore.Target(
            token: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: token)), page: number, index: device.index)
    }

    // MARK: Notes in the store

    /// Marks devices that are noted in the store, or will be before they are pushed to.
    mutating func noted(_ positions: Range<Int>) {
        for position in positions { progress[position].isNoted = true }
    }

    /// Marks a device's note for release, because nothing can have been delivered.
    mutating func release(_ position: Int) {
        guard progress[position].isNoted else { return }
        progress[position].isNoted = false
        let index = index(position)
        note { $0.released.append(index) }
    }

    // MARK: Outcomes

    /// Counts a failed attempt, with or without an answer. Returns the number of attempts. After an attempt without an
    /// answer the device stays in doubt, also if the next one is refused.
    mutating func attempted(_ position: Int, _ refusal: String?) -> Int {
        if progress[position].attempts < .max { progress[position].attempts += 1 }
        if let refusal, !hadNoAnswer(position) { progress[position].refusal = place(of: refusal) }
        return Int(progress[position].attempts)
    }

    private mutating func place(of refusal: String) -> UInt8 {
        if let place = refusals.firstIndex(of: refusal) { return UInt8(place + 1) }
        // There are few reasons. All from the 255th on share a place.
        guard refusals.count < 255 else { return 255 }
        refusals.append(refusal)
        return UInt8(refusals.count)
    }

    /// `noAnswer` if the provider has left a push without an answer, else the reason of its last refusal; nil without
    /// any.
    func lastReason(_ position: Int) -> String? {
        let place = Int(progress[position].refusal)
        return place > 0 ? refusals[place - 1] : nil
    }

    /// True if the provider may have taken a push that it has not answered.
    func hadNoAnswer(_ position: Int) -> Bool { lastReason(position) == BroadcastTally.OwnReason.noAnswer.rawValue }

    @inline(__always)
    mutating func accepted(_ position: Int) {
        accepted.append(devices[position].index)
        open -= 1
    }

    mutating func failed(_ position: Int, _ reason: String) {
        let index = index(position)
        note { $0.fail(index, reason) }
        open -= 1
    }

    mutating func unknown(_ position: Int) {
        let index = index(position)
        note {
            $0.unknown.append(index)
            $0.tally.count(.unknown, 1)
        }
        open -= 1
    }

    mutating func unsent(_ position: Int, _ reason: String) {
        let index = index(position)
        note {
            $0.unsent.append(index)
            $0.unsentReason = reason
            $0.tally.count(reason, 1)
        }
        open -= 1
    }

    mutating func superseded(_ position: Int) {
        supersededFrom = min(supersededFrom ?? position, position)
        if isInDoubt { return unknown(position) }
        supersededCount += 1
        open -= 1
    }

    mutating func left(_ position: Int) {
        release(position)
        leftCount += 1
        open -= 1
    }

    mutating func died(_ position: Int, _ reason: String, since: UInt64?) {
        let token = refused(position, since)
        note { $0.dead.append(token) }
        failed(position, reason)
    }

    mutating func quarantined(_ position: Int, _ reason: String) {
        let token = refused(position, nil)
        note { $0.quarantined.append(token) }
        failed(position, reason)
    }

    private func refused(_ position: Int, _ since: UInt64?) -> PageResult.RefusedToken {
        let target = target(position)
        return PageResult.RefusedToken(index: target.index, since: since, token: Array(target.token))
    }
}

extension PageResult {
    fileprivate mutating func fail(_ index: UInt16, _ reason: String) {
        failed.append(index)
        failedFor.append(place(of: reason))
        tally.count(reason, 1)
    }

    /// The position of a reason in `reasons`. There are few of them, and all from the 255th on share a position.
    private mutating func place(of reason: String) -> UInt8 {
        if let place = reasons.firstIndex(of: reason) { return UInt8(place) }
        guard reasons.count < 255 else { return 254 }
        reasons.append(reason)
        return UInt8(reasons.count - 1)
    }
}
