import FCMCore
import TestSupport
import Testing
import TimeCore

@Suite("Quotas, walked at random") struct SendAllowanceWalkTests {
    /// An allowance, its quota, and a list of all grants with the permits left in them.
    private struct Story: RandomStory {
        private var allowance: SendAllowance
        private var random: SeededGenerator
        private var now = 1_000
        private(set) var last = ""
        private(set) var violations: [String] = []
        private var grants: [(left: Int, from: Int)] = []
        private var open: (request: SendAllowance.Request, from: Int)?
        /// No request may come before `barred`, and one has to come from `free` on.
        private var barred = 0
        private var free = 0
        private var waiting = 0
        private(set) var sent = 0
        private(set) var lost = 0

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            allowance = SendAllowance(messagesPerMinute: [1, 3_000, 60_000, 600_000][Int(seed % 4)])
        }

        private var time: MonotonicTime { MonotonicTime(nanoseconds: UInt64(now) * 1_000_000) }

        mutating func step() {
            now += Bool.random(using: &random) ? Int.random(in: 0...20, using: &random) : 0
            lapse()
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<10: come()
            case 10..<40: leave()
            case 40..<65: ask()
            case 65..<90: answer()
            case 90..<95: fail()
            case 95: exceed()
            case 96: pass()
            default: say("nothing")
            }
            check()
        }

        private mutating func say(_ what: String) { last = "\(what) at \(now)" }

        private mutating func come() {
            waiting += Int.random(in: 0...(3 * allowance.slice), using: &random)
            say("messages come")
        }

        /// Lets time pass without events.
        private mutating func pass() {
            now += Int.random(in: 0...3_000, using: &random)
            lapse()
            say("time passes")
        }

        private mutating func lapse() {
            lost += grants.reduce(0) { now - $1.from >= 1_000 ? $0 + $1.left : $0 }
            grants.removeAll { now - $0.from >= 1_000 || $0.left == 0 }
        }

        private mutating func leave() {
            let wanted = Int.random(in: 0...waiting, using: &random)
            let count = allowance.messagesLeave(wanted, now: time)
            say("\(count) of \(wanted) leave")
            if count > wanted { violations.append("more leave than want to") }
            var rest = count
            for index in grants.indices {
                let part = min(rest, grants[index].left)
                grants[index].left -= part
                rest -= part
            }
            if rest > 0 { violations.append("\(rest) leave without a permit") }
            waiting -= count
            sent += count
        }

        private mutating func ask() {
            let held = allowance.permits(now: time)
            let request = allowance.messagesWait(waiting, now: time)
            say("\(waiting) wait")
            // The request has timed out, and the next one comes after a pause.
            if let open, now - open.from >= 2_000 {
                self.open = nil
                (barred, free) = (now + 100, now + 1_000)
            }
            let isForbidden = open != nil || now < free
            guard let request else {
                if waiting > 0, held == 0, !isForbidden { violations.append("nothing is asked for") }
                return
            }
            if open != nil { violations.append("two requests at once") }
            if now < barred { violations.append("asks too early") }
            if !(1...min(allowance.slice, waiting)).contains(request.count) { violations.append("asks for too many") }
            open = (request, now)
        }

        private mutating func answer() {
            guard let (request, _) = open else { return say("no answer") }
            let count = Int.random(in: -1...(request.count + 1), using: &random)
            let wait = Bool.random(using: &random) ? 0 : Int.random(in: 0...2_000, using: &random)
            let held = allowance.permits(now: time)
            let grew = allowance.granted(request.number, count, wait: .milliseconds(wait), now: time)
            say("\(count) are granted")
            open = nil
            let granted = min(max(0, count), request.count)
            grants.append((granted, now))
            (barred, free) = (now + wait, now + max(wait, 10))
            if grew != (granted > 0) || allowance.permits(now: time) != held + granted {
                violations.append("miscounts")
            }
        }

        private mutating func fail() {
            guard let (request, _) = open else { return say("no failure") }
            allowance.requestFailed(request.number, now: time)
            say("a request fails")
            open = nil
            (barred, free) = (now + 100, now + 1_000)
        }

        private mutating func exceed() {
            let wait = Int.random(in: 0...3_000, using: &random)
            allowance.quotaExceeded(wait: .milliseconds(wait), now: time)
            say("the quota is exceeded")
            open = nil
            grants = []
            (barred, free) = (max(barred, now + wait), max(free, now + wait))
        }

        private mutating func check() {
            let held = allowance.permits(now: time)
            let good = grants.reduce(0) { $0 + $1.left }
            if held > good { violations.append("holds \(held) permits of \(good) that are good") }
            if held > allowance.slice + allowance.slice / 2 { violations.append("hoards \(held)") }
        }
    }

    @Test("Nothing leaves without a permit of the last second, and whoever has none and wants one asks")
    func walk() {
        var (sent, lost) = (0, 0)
        for place in 0..<40 as Range<UInt64> {
            var walk = TestSeed.generator(place)
            let seed = walk.next() &* 4 &+ place
            let story = Story.story(seed: seed, steps: 5_000) { Issue.record("\($0)") }
            sent += story.sent
            lost += story.lost
        }
        #expect(sent > 100_000 && lost > 1_000)
    }

    /// The quota of all gateways as one bucket with a burst of 100 ms, in microseconds.
    private struct Bucket {
        var full = 0
        let period: Int

        mutating func take(_ wanted: Int, now: Int) -> (count: Int, wait: Int) {
            full = max(full, now)
            let count = min(wanted, max(0, (now + 100_000 - full) / period))
            full += count * period
            return (count, count < wanted ? max(0, full + period - now - 100_000) : 0)
        }
    }

    @Test("Gateways that always have messages use the whole quota together, and no more", arguments: [1, 2, 5])
    func sharing(_ gateways: Int) {
        var bucket = Bucket(period: 100)
        var allowances = (0..<gateways).map { _ in SendAllowance(messagesPerMinute: 600_000) }
        var answers: [(due: Int, gateway: Int, number: UInt32, count: Int, wait: Int)] = []
        var (sent, most) = (0, 0)
        for tick in 0..<10_000 {
            let now = tick * 1_000
            let time = MonotonicTime(nanoseconds: UInt64(now) * 1_000)
            for index in allowances.indices {
                for answer in answers where answer.gateway == index && answer.due <= now {
                    _ = allowances[index].granted(
                        answer.number, answer.count, wait: .microseconds(answer.wait), now: time)
                }
                answers.removeAll { $0.gateway == index && $0.due <= now }
                // A connection sends at most 100 messages at a time.
                sent += allowances[index].messagesLeave(100, now: time)
                if let request = allowances[index].messagesWait(1_000_000, now: time) {
                    let (count, wait) = bucket.take(request.count, now: now)
                    answers.append((now + 5_000, index, request.number, count, wait))
                }
            }
            most = max(most, sent - now / 100)
        }
        #expect(sent > 95_000 && most <= 1_000)
    }
}
