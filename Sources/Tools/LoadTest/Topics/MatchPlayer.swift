import NIOCore
import TimeCore

/// Plays a match day: its scheduled events, and the reports of phones after their start.
///
/// A phone reports the token of its Live Activity some time after its start. The player sees no pushes. It takes early
/// followers for started when the gateway says that the topic's start is finished, and later ones after their follow. A
/// report that comes too early is repeated.
struct MatchPlayer: CallPlayer {
    private struct Topic {
        var requests: TopicRequests
        /// The followers whose reports begin when the topic's start is finished.
        var waiting: [Int] = []
        /// The dismissal request; nil until the topic's activity is known.
        var dismissal: DeviceRequest?
        var opening: TopicReading.Opening?
        var hasEnded = false

        var isStarted: Bool { opening?.seconds != nil }
    }

    let readsAnswers = true
    /// The number of devices whose report failed or was still pending at full time.
    private(set) var unreported = 0
    /// The contents of the topics, and the devices that have reported and not left.
    private(set) var asked = AskedContents()
    private let day: MatchDay
    private let load: TopicLoad
    private let comparesPhones: Bool
    private let report: DeviceRequest
    private let dismissals: RequestHead
    private var topics: [Topic]
    private var next = 0
    private var followUps = FollowUps()
    /// The expected end of the day; nil before the first kick-off succeeds.
    private var fullTime: MonotonicTime?
    private var unfollowed: Set<Int> = []
    /// The number of early reports by device, and of failed publishes by event.
    private var earlyReports: [Int: Int] = [:]
    private var lostWords: [Int: Int] = [:]

    private static let mostWords = 10

    init(_ load: TopicLoad, _ day: MatchDay, requests: [TopicRequests], url: GatewayURL, keys: TopicKeys) {
        self.day = day
        self.load = load
        comparesPhones = !load.target.mocks.isEmpty
        topics = requests.map { Topic(requests: $0) }
        report = DeviceRequest(
            RequestHead(.sync, url: url, device: keys.device), load.target.population,
            fields: "\"activity_type\":\"\(load.activityType)\",", token: .updateToken)
        dismissals = RequestHead(.dismissed, url: url, device: keys.device)
    }

    /// The observed starts of topics that went live.
    var openings: [TopicReading.Opening] { topics.compactMap(\.opening) }

    var hasFollowUps: Bool { !followUps.isEmpty }

    // MARK: Calls

    mutating func nextCall(to request: inout ByteBuffer) -> PlayedCall? {
        guard next < day.events.count else { return nil }
        defer { next += 1 }
        return write(next, to: &request)
    }

    private mutating func write(_ index: Int, to request: inout ByteBuffer) -> PlayedCall {
        let kind: CallKind
        wordSent(index)
        switch day.events[index].event {
        case .follow(let device):
            kind = .follow
            topics[day.topic(of: device)].requests.follow.write(device, rotation: 0, to: &request)
        case .unfollow(let device):
            kind = .unfollow
            unfollowed.insert(device)
            asked.left(device, of: day.topic(of: device))
            topics[day.topic(of: device)].requests.unfollow.write(device, rotation: 0, to: &request)
        case .kickOff(let topic):
            kind = .putTopic
            request.writeBytes(topics[topic].requests.state("live", number: 1, title: "Kick-off"))
        case .goal(let topic, let number):
            kind = .putTopic
            request.writeBytes(topics[topic].requests.state("live", number: 1 + number, title: "Goal"))
        case .fullTime(let topic):
            kind = .putTopic
            request.writeBytes(topics[topic].requests.state("ended", number: 2 + load.goals, title: "Full time"))
        }
        return PlayedCall(kind: kind, subject: index)
    }

    /// Returns the topic and content number of a publish.
    private func word(_ index: Int) -> (topic: Int, number: Int)? {
        switch day.events[index].event {
        case .follow, .unfollow: nil
        case .kickOff(let topic): (topic, 1)
        case .goal(let topic, let number): (topic, 1 + number)
        case .fullTime(let topic): (topic, 2 + load.goals)
        }
    }

    private mutating func wordSent(_ index: Int) {
        guard let word = word(index) else { return }
        asked.sent(word.number, of: word.topic, isEnd: word.number == 2 + load.goals, devices: nil)
    }

    mutating func nextFollowUp(to request: inout ByteBuffer, at now: MonotonicTime) -> PlayedCall? {
        while let call = followUps.next(at: now) {
            switch call {
            case .report(let device):
                guard !topics[day.topic(of: device)].hasEnded else {
                    unreported += 1
                    continue
                }
                let rotation = LoadTarget.rotation(day.topic(of: device), run: load.target.run)
                report.write(device, rotation: rotation, to: &request)
                return PlayedCall(kind: .sync, subject: device)
            case .dismissal(let device):
                let topic = topics[day.topic(of: device)]
                guard !topic.hasEnded, let dismissal = topic.dismissal else { continue }
                asked.left(device, of: day.topic(of: device))
                dismissal.write(device, rotation: 0, to: &request)
                return PlayedCall(kind: .dismissed, subject: device)
            case .word(let index):
                return write(index, to: &request)
            case .reading(let topic):
                guard !topics[topic].hasEnded else { continue }
                request.writeBytes(topics[topic].requests.reading)
                return PlayedCall(kind: .getTopic, subject: topic)
            }
        }
        return nil
    }

    // MARK: Answers

    func isTooEarly(_ call: PlayedCall, _ outcome: CallOutcome) -> Bool {
        guard call.kind == .sync, case .answered(let status, _) = outcome else { return false }
        // The device has no Live Activity yet, or its start has not begun.
        return status == 404 || status == 409
    }

    mutating func callEnded(_ call: PlayedCall, _ outcome: CallOutcome, at now: MonotonicTime) {
        switch call.kind {
        case .follow:
            guard outcome.isSuccess, case .follow(let device) = day.events[call.subject].event else { return }
            followed(device, at: now)
        case .putTopic: wordEnded(call.subject, outcome, at: now)
        case .getTopic: readingEnded(call.subject, outcome, at: now)
        case .sync: reportEnded(call, outcome, at: now)
        default: break
        }
    }

    private mutating func followed(_ device: Int, at now: MonotonicTime) {
        guard day.report(of: device) != nil else { return }
        let topic = day.topic(of: device)
        if topics[topic].hasEnded {
            unreported += 1
        } else if topics[topic].isStarted {
            addReport(device, at: now)
        } else {
            topics[topic].waiting.append(device)
        }
    }

    private mutating func addReport(_ device: Int, at now: MonotonicTime) {
        guard let delay = day.report(of: device) else { return }
        followUps.add(.report(device: device), at: now + max(delay, load.reportAfter))
    }

    private mutating func reportEnded(_ call: PlayedCall, _ outcome: CallOutcome, at now: MonotonicTime) {
        let device = call.subject
        if outcome.isSuccess {
            if comparesPhones, !unfollowed.contains(device) { asked.reported(device, of: day.topic(of: device)) }
            guard let share = day.dismissal(of: device), let fullTime else { return }
            followUps.add(
                .dismissal(device: device), at: now + .seconds((fullTime - now).inSeconds * share))
        } else if isTooEarly(call, outcome), !unfollowed.contains(device) {
            let tries = earlyReports[device, default: 0]
            earlyReports[device] = tries + 1
            followUps.add(
                .report(device: device), at: now + .milliseconds(min(5_000, 500 << min(tries, 4))))
        } else {
            unreported += 1
        }
    }

    private mutating func wordEnded(_ index: Int, _ outcome: CallOutcome, at now: MonotonicTime) {
        if outcome.isSuccess, let word = word(index) { asked.succeeded(word.number, of: word.topic) }
        switch day.events[index].event {
        case .kickOff(let topic):
            if outcome.isSuccess {
                fullTime = fullTime ?? now + load.length
                followUps.add(.reading(topic: topic), at: now + load.readingInterval)
            } else {
                _ = sayAgain(index, outcome, at: now)
            }
        case .fullTime(let topic):
            if outcome.isSuccess || !sayAgain(index, outcome, at: now) { end(topic) }
        default: break
        }
    }

    /// Schedules a retry of a kick-off or full time. A lost goal needs none, because the next publish replaces it.
    private mutating func sayAgain(_ index: Int, _ outcome: CallOutcome, at now: MonotonicTime) -> Bool {
        if case .answered(let status, _) = outcome, status != 429, status < 500 { return false }
        let tries = lostWords[index, default: 0] + 1
        guard tries <= MatchPlayer.mostWords else { return false }
        lostWords[index] = tries
        followUps.add(.word(event: index), at: now + .seconds(tries))
        return true
    }

    private mutating func end(_ topic: Int) {
        topics[topic].hasEnded = true
        unreported += topics[topic].waiting.count
        topics[topic].waiting = []
        if topics.allSatisfy(\.hasEnded) { unreported += followUps.drop() }
    }

    private mutating func readingEnded(_ topic: Int, _ outcome: CallOutcome, at now: MonotonicTime) {
        guard !topics[topic].hasEnded else { return }
        if case .answered(200, let body) = outcome, let reading = TopicReading(body) {
            if let id = reading.activityID, topics[topic].dismissal == nil {
                topics[topic].dismissal = DeviceRequest(
                    dismissals, load.target.population, fields: "\"activity_id\":\"\(id)\",", token: nil)
            }
            topics[topic].opening = reading.opening
        }
        guard topics[topic].isStarted else {
            followUps.add(.reading(topic: topic), at: now + load.readingInterval)
            return
        }
        for device in topics[topic].waiting { addReport(device, at: now) }
        topics[topic].waiting = []
    }
}
