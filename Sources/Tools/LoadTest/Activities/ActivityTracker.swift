/// The activities of a marketing system, and which call is possible next.
///
/// A call that is wanted and not possible is replaced by the one that comes before it in an activity's life, so that
/// the number of calls is the one that was asked for. Owns no requests and no times.
///
/// Invariants: (1) no more activities live than allowed. (2) Each activity has one call under way at most, but for
/// updates, of which there may be several. (3) Nothing but updates is called on an activity that runs, and nothing at
/// all on one that is being ended.
struct ActivityTracker: Sendable {
    struct Options: Sendable {
        var keys = 1
        var maximumActivities = 1000
        var population: Population
        var segmentSize = 100
        /// The most users that one call registers.
        var chunk = 10_000
        /// Of the devices of an activity, how many report their token after its start: 0 to 1.
        var syncShare = 1.0
    }

    /// A call that is to be made.
    struct Step: Sendable, Equatable {
        let kind: CallKind
        /// The activity's number.
        let activity: Int
    }

    let options: Options
    /// By numbers that are never used again, so that a late answer meets no other activity.
    private(set) var activities: [Int: PlayedActivity] = [:]
    /// Calls that were replaced by an earlier one in an activity's life.
    private(set) var replaced = 0
    private var lists = ActivityLists()
    /// Activities whose devices have not all begun to report.
    private var reporting: [Int] = []
    private var made = 0

    init(_ options: Options) {
        self.options = options
    }

    /// How many activities live, as far as is known.
    var liveCount: Int { activities.count }

    /// Activities with calls that follow from earlier answers.
    var isReporting: Bool { !reporting.isEmpty }

    func count(in state: PlayedActivity.State) -> Int { lists.numbers(in: state).count }

    // MARK: Calls

    /// The call to make when `wanted` is due; nil when there is nothing to call before one under way has been answered.
    mutating func step(wanted: CallKind, using generator: inout some RandomNumberGenerator) -> Step? {
        for kind in ActivityTracker.substitutes(wanted) {
            guard let number = candidate(kind, using: &generator) else { continue }
            stepMade(kind, number)
            if kind != wanted { replaced += 1 }
            return Step(kind: kind, activity: number)
        }
        return nil
    }

    /// What is possible in place of a call, best first; the call itself is the first.
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

    /// A started activity without an update under way.
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

    /// The devices that a call registers, as numbers of devices.
    func devicesToRegister(_ number: Int) -> [Int] {
        guard let activity = activities[number] else { return [] }
        let end = min(activity.registeredCount + options.chunk, activity.deviceCount)
        return (activity.registeredCount..<end).map { device(activity, $0) }
    }

    /// The device at a place of an activity's segment. Segments wrap around at the end of the population.
    func device(_ activity: PlayedActivity, _ place: Int) -> Int {
        options.population.first + (activity.firstDevice + place) % max(1, options.population.count)
    }

    /// The start under way is for these devices of the segment only.
    mutating func startNarrowed(_ number: Int, offset: Int, count: Int) {
        activities[number]?.startedOffset = offset
        activities[number]?.startedCount = count
    }

    // MARK: Devices that report

    /// The next device that reports its token after a start.
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

    /// How many devices of an activity report a token.
    func reports(_ activity: PlayedActivity) -> Int {
        let count = Double(activity.startedCount) * options.syncShare
        return options.syncShare > 0 ? max(1, min(activity.startedCount, Int(count.rounded()))) : 0
    }
}
