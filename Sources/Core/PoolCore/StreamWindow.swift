import TimeCore

/// The number of streams that a connection may have open, by its own record. It follows TCP's congestion control (RFC
/// 5681): slow start, halving with each trouble, then linear growth.
struct StreamWindow {
    private(set) var size: Int
    /// The time before which no stream is opened; set while the server refuses streams.
    private(set) var closedUntil: MonotonicTime?
    private var sizeWhenOpen: Int
    /// The size up to which the window grows fast.
    private var threshold = Int.max
    private var credit = 0
    /// True if streams were refused since the last success.
    private var isRefusing = false
    private var refusalPause = TimeInterval.zero
    /// The served and refused streams, with decaying weight.
    private var lately = (served: 0, refused: 0)
    private let initial: Int
    private let highest: Int

    /// The growth for each answer. A connection grows fourfold with each round trip.
    private static let growth = 3
    /// Refused streams are few up to an eighth of the streams.
    private static let few = 8
    /// The number of streams after which earlier ones count half.
    private static let memory = 256
    private static let firstRefusalPause = TimeInterval.milliseconds(50)
    private static let longestRefusalPause = TimeInterval.seconds(5)

    init(initial: Int, highest: Int) {
        self.initial = max(1, min(initial, highest))
        self.highest = highest
        size = self.initial
        sizeWhenOpen = size
    }

    /// Records successful answers.
    mutating func served(_ count: Int) {
        if isRefusing { reopen() }
        remember(served: count)
        guard size < highest else { return }
        if size < threshold {
            size = min(size + StreamWindow.growth * count, highest)
        } else {
            credit += count
            guard credit >= size else { return }
            credit = 0
            size = min(size + max(1, size / 4), highest)
        }
    }

    /// Halves the window after a sign of overload.
    mutating func halve() {
        if closedUntil != nil { return sizeWhenOpen = max(1, sizeWhenOpen / 2) }
        size = max(1, size / 2)
        threshold = size
        credit = 0
    }

    /// Records refused streams. A few among many are attributed to their pushes. Otherwise the window is halved. If no
    /// stream was served since the last refusal, it closes for a pause that doubles.
    mutating func refused(_ count: Int, open: Int, now: MonotonicTime) {
        remember(refused: count)
        guard closedUntil == nil, lately.refused * StreamWindow.few > lately.served + open else { return }
        sizeWhenOpen = max(1, min(size, open) / 2)
        size = sizeWhenOpen
        threshold = size
        credit = 0
        guard isRefusing else { return isRefusing = true }
        refusalPause = max(
            StreamWindow.firstRefusalPause,
            min(TimeInterval(nanoseconds: refusalPause.nanoseconds &* 2), StreamWindow.longestRefusalPause))
        size = 0
        closedUntil = now + refusalPause
    }

    /// True if the connection serves at least as many streams as it refuses.
    var servesMost: Bool { lately.served >= lately.refused }

    private mutating func remember(served: Int = 0, refused: Int = 0) {
        lately.served += served
        lately.refused += refused
        guard lately.served + lately.refused >= StreamWindow.memory else { return }
        lately = (lately.served / 2, lately.refused / 2)
    }

    /// Reopens the window when its pause is over.
    mutating func timePassed(_ now: MonotonicTime) {
        guard let closedUntil, closedUntil <= now else { return }
        self.closedUntil = nil
        size = sizeWhenOpen
    }

    private mutating func reopen() {
        if closedUntil != nil { size = sizeWhenOpen }
        closedUntil = nil
        refusalPause = .zero
        isRefusing = false
    }

    /// Restarts the window without its earlier record.
    mutating func restart() {
        reopen()
        size = min(max(1, size), initial)
        threshold = .max
        credit = 0
    }
}
