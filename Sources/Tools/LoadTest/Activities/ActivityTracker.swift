/// The activities of a marketing system, and the calls that each of them allows next.
///
/// If a wanted call is impossible, the tracker chooses another kind. The number of calls stays as requested. The
/// tracker holds no requests and no times.
///
/// Invariants:
/// 1. The number of activities never exceeds the maximum.
/// 2. Each activity has at most one call under way, except updates and syncs.
/// 3. A started activity gets only updates and syncs until its end. An ending one gets no calls.
struct ActivityTracker: Sendable {
    struct Options: Sendable {
        var keys = 1
        var maximumActivities = 1000
        var population: Population
        var segmentSize = 100
        /// The maximum number of users in one register or add-users call.
        var chunk = 10_000
        /// The share (0 to 1) of an activity's devices that report their token after its start.
        var syncShare = 1.0
    }

    /// A call to make.
    struct Step: Sendable, Equatable {
        let kind: CallKind
        /// The number of the activity.
        let activity: Int
    }

    let options: Options
    /// The activities by number. Numbers are never reused, so a late answer cannot affect another activity.
    private(set) var activities: [Int: PlayedActivity] = [:]
    /// The number of calls that were replaced by another kind.
    private(set) var replaced = 0
    private var lists = ActivityLists()
    /// The activities with devices that have not begun to report.
    private var reporting: [Int] = []
    private var made = 0

    init(_ options: Options) {
        self.options = options
    }

    /// The number of activities that are not known to have ended.
    var liveCount: Int { activities.count }

    /// True if devices still have to report.
    var isReporting: Bool { !reporting.isEmpty }

    func count(in state: PlayedActivity.State) -> Int { lists.numbers(in: state).count }

    // MARK: Calls

    /// Returns the call to make when `wanted` is due; nil if every call must wait for an answer.
    mutating func step(wanted: CallKind, using generator: inout some RandomNumberGenerator) -> Step? {
        for kind in ActivityTracker.substitutes(wanted) {
            guard let number = candidate(kind, using: &generator) else { continue }
            stepMade(kind, number)
            if kind != wanted { replaced += 1 }
            return Step(kind: kind, activity: number)
        }
        return nil
    }

    /// The kinds of calls to try in order, beginning with the wanted one.
    private static func substitutes(_ wanted: CallKind) -> [CallKind] {
        switch wanted {
        case .register: [.register, .end, .start, .addUsers, .update]
        case .start: [.start, .addUsers, .register, .update]
        case .end: [.end, .start, .addUsers, .register, .update]
        default: [.update, .start, .addUsers, .register]
        }
    }

    private mutating func candidate(_ kind: CallKind, using generator: inout some RandomNumberGenerator) -> Int? {
        switch kind {
        case .register: liveCount < options.maximumActivities ? addActivity(using: &generator) : nil
        case .addUsers: lists.numbers(in: .growing).randomElement(using: &generator)
        case .start: lists.numbers(in: .registered).randomElement(using: &generator)
        case .end: idle(using: &generator)
        default: lists.numbers(in: .started).randomElement(using: &generator)
        }
    }

    /// Returns a started activity without an update under way.
    private func idle(using generator: inout some RandomNumberGenerator) -> Int? {
        let list = lists.numbers(in: .started)
        guard !list.isEmpty else { return nil }
        let start = Int.random(in: list.indices, using: &generator)
        for offset in list.indices {
            let number = list[(start + offset) % list.count]
            if activities[number]?.updatesUnderWay == 0 { return number }
        }
        return nil
    }

    private mutating func addActivity(using generator: inout some RandomNumberGenerator) -> Int {
        let count = options.population.count
        let number = made
        made += 1
        activities[number] = PlayedActivity(
            key: number % max(1, options.keys),
            firstDevice: count > 0 ? Int.random(in: 0..<count, using: &generator) : 0,
            deviceCount: min(options.segmentSize, count))
        return number
    }

    private mutating func stepMade(_ kind: CallKind, _ number: Int) {
        switch kind {
        case .register: break
        case .addUsers, .start: move(number, to: .changing)
        case .end: move(number, to: .ending)
        default: activities[number]?.updatesUnderWay += 1
        }
    }

    /// Returns the numbers of the devices for the next register or add-users call.
    func devicesToRegister(_ number: Int) -> [Int] {
        guard let activity = activities[number] else { return [] }
        let end = min(activity.registeredCount + options.chunk, activity.deviceCount)
        return (activity.registeredCount..<end).map { device(activity, $0) }
    }

    /// Returns the device at a position of an activity's segment. Segments wrap around at the end of the population.
    func device(_ activity: PlayedActivity, _ place: Int) -> Int {
        options.population.first + (activity.firstDevice + place) % max(1, options.population.count)
    }

    /// Restricts the pending start to a part of the segment.
    mutating func startNarrowed(_ number: Int, offset: Int, count: Int) {
        activities[number]?.startedOffset = offset
        activities[number]?.startedCount = count
    }

    // MARK: Devices that report

    /// Returns the next device that reports its token after a start.
    mutating func nextReport() -> (activity: Int, device: Int)? {
        while let number = reporting.last {
            guard let activity = activities[number], activity.syncsBegun < reports(activity) else {
                reporting.removeLast()
                continue
            }
            activities[number]?.syncsBegun += 1
            return (number, device(activity, activity.startedOffset + activity.syncsBegun))
        }
        return nil
    }

    // MARK: Changes

    mutating func change(_ number: Int, _ body: (inout PlayedActivity) -> Void) {
        guard var activity = activities[number] else { return }
        body(&activity)
        activities[number] = activity
    }

    mutating func move(_ number: Int, to state: PlayedActivity.State) {
        guard var activity = activities[number] else { return }
        lists.remove(number, from: activity.state)
        activity.state = state
        activities[number] = activity
        lists.add(number, to: state)
    }

    mutating func drop(_ number: Int) {
        guard let activity = activities.removeValue(forKey: number) else { return }
        lists.remove(number, from: activity.state)
    }

    mutating func beginReporting(_ number: Int) {
        reporting.append(number)
    }

    /// Returns the number of an activity's devices that report a token.
    func reports(_ activity: PlayedActivity) -> Int {
        let count = Double(activity.startedCount) * options.syncShare
        return options.syncShare > 0 ? max(1, min(activity.startedCount, Int(count.rounded()))) : 0
    }
}
