import TimeCore

/// How many streams a connection may have open by its own record: few until it has answered, many soon after (slow
/// start), half as many with each trouble, and then more one by one, as TCP's congestion control does it (RFC 5681).
struct StreamWindow {
    private(set) var size: Int
    /// Nothing is opened before; set while the server refuses streams.
    private(set) var closedUntil: MonotonicTime?
    private var sizeWhenOpen: Int
    /// Up to here it grows fast.
    private var threshold = Int.max
    private var credit = 0
    /// Whether streams were refused since one was served.
    private var isRefusing = false
    private var refusalPause = TimeInterval.zero
    /// Streams served and refused, what was long ago counting for little.
    private var lately = (served: 0, refused: 0)
    private let initial: Int
    private let highest: Int

    /// Each answer earns so many streams, so that a connection grows fourfold with each round trip.
    private static let growth = 3
    /// Up to an eighth of the streams are few.
    private static let few = 8
    /// After so many streams what was before counts half.
    private static let memory = 256
    private static let firstRefusalPause = TimeInterval.milliseconds(50)
    private static let longestRefusalPause = TimeInterval.seconds(5)

    init(initial: Int, highest: Int) {
        self.initial = max(1, min(initial, highest))
        self.highest = highest
        size = self.initial
        sizeWhenOpen = size
    }

    /// Good answers came.
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

    /// One more sign that it is too much.
    mutating func halve() {
        if closedUntil != nil { return sizeWhenOpen = max(1, sizeWhenOpen / 2) }
        size = max(1, size / 2)
        threshold = size
        credit = 0
    }

    /// The server has refused so many of the streams that were open. A few among many others are those pushes' own
    /// matter; else half as many are tried, and when it has served none since it last did so, after a pause, which
    /// doubles.
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

    /// Whether it serves more streams than it refuses.
    var servesMost: Bool { lately.served >= lately.refused }

    private mutating func remember(served: Int = 0, refused: Int = 0) {
        lately.served += served
        lately.refused += refused
        guard lately.served + lately.refused >= StreamWindow.memory else { return }
        lately = (lately.served / 2, lately.refused / 2)
    }

    /// Opens again when its pause is over.
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

    /// Begins anew, as if nothing had been answered or refused.
    mutating func restart() {
        reopen()
        size = min(max(1, size), initial)
        threshold = .max
        credit = 0
    }
}
