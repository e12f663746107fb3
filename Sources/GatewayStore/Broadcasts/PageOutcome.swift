import LiveActivity
public import TimeCore

/// What became of the devices of a page, by their index in it.
public struct PageOutcome: Sendable {
    public let page: Int
    public var accepted: [UInt16] = []
    public var failed: [UInt16] = []
    /// The push may have been delivered; nobody knows.
    public var unknown: [UInt16] = []
    /// Tokens that the provider called dead, and since when.
    public var deadTokens: [(index: Int, token: [UInt8], asOf: WallTime)] = []

    public init(page: Int) {
        self.page = page
    }

    /// The fates to write, from the first index that has one on; 0 where nothing changes. Nil when nothing does at all.
    func fates(_ kind: BroadcastKind) -> (first: Int, fates: [UInt8])? {
        let changes: [(indexes: [UInt16], fate: UInt8)]
        switch kind {
        case .start:
            changes = [(accepted, Fate.startAccepted), (failed, Fate.startFailed), (unknown, Fate.startUnknown)]
        case .update: return nil
        case .end: changes = [(accepted, Fate.ended(.endedByAPI))]
        }
        var (first, last) = (Int.max, -1)
        for (indexes, _) in changes {
            for index in indexes {
                first = min(first, Int(index))
                last = max(last, Int(index))
            }
        }
        guard first <= last else { return nil }
        var fates = [UInt8](repeating: 0, count: last - first + 1)
        for (indexes, fate) in changes {
            for index in indexes { fates[Int(index) - first] = fate }
        }
        return (first, fates)
    }
}
