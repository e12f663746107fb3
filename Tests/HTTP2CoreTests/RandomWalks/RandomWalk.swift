import TestSupport

@testable import HTTP2Core

/// An engine and a server session with bytes in flight, driven at random. The server's sent frames are the model of
/// each request's end.
final class RandomWalk {
    var random: SeededGenerator
    let client: EngineClient
    let server: OracleServer
    var kinds: [RequestKind]
    /// The opened requests, by tag.
    private(set) var plans: [(kind: RequestKind, plan: RequestPlan)] = []
    var failures: [String] = []
    private var up: [UInt8] = []
    private var down: [UInt8] = []
    private let updatesWindows: Bool
    /// The approximate number of open streams.
    private let crowd: Int
    private var answered: Set<Int32> = []
    private var isGoing = false
    /// True to draw token places and missing bodies.
    private let drawsForms: Bool

    init(seed: UInt64, drawsForms: Bool = false) throws {
        random = SeededGenerator(seed: seed)
        self.drawsForms = drawsForms
        kinds = (0..<8).map { _ in RequestKind() }
        for index in kinds.indices { kinds[index] = RandomWalk.kind(&random, drawsForms) }
        updatesWindows = Bool.random(using: &random)
        crowd = [3, 40, 400].randomElement(using: &random) ?? 3
        client = try EngineClient(kinds)
        server = OracleServer(settings: RandomWalk.settings(&random), updatesWindows: updatesWindows)
    }

    static func kind(_ random: inout SeededGenerator, _ drawsForms: Bool) -> RequestKind {
        let extra = (0..<Int.random(in: 0...4, using: &random)).map { index in
            let length = Int.random(in: 0...(index == 3 ? 3_000 : 60), using: &random)
            return (name: "x-field-\(index)", value: String(repeating: "v", count: length))
        }
        let body = (0..<Int.random(in: 1...(Bool.random(using: &random) ? 40 : 20_000), using: &random)).map {
            UInt8(truncatingIfNeeded: $0 &* 31)
        }
        let host = Int.random(in: 0...30, using: &random)
        var kind = RequestKind(authority: "host-\(host).example", secret: "bearer \(host)", extra: extra, body: body)
        if drawsForms { kind.drawForm(&random) }
        return kind
    }

    static func settings(_ random: inout SeededGenerator) -> [(UInt16, UInt32)] {
        (0..<Int.random(in: 0...3, using: &random)).map { _ in
            switch Int.random(in: 0..<5, using: &random) {
            case 0: (Setting.headerTableSize, [0, 50, 100, 300, 4_096, 70_000].randomElement(using: &random) ?? 0)
            case 1: (Setting.maximumConcurrentStreams, UInt32.random(in: 0...300, using: &random))
            case 2: (Setting.maximumFrameSize, UInt32.random(in: 16_384...40_000, using: &random))
            case 3: (0x4567, UInt32.random(in: 0...UInt32.max, using: &random))
            default:
                (Setting.initialWindowSize, [0, 1, 100, 5_000, 65_535, 1 << 20].randomElement(using: &random) ?? 0)
            }
        }
    }

    func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    func step() throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<30: open()
        case 30..<33: client.cancel(tag: UInt32.random(in: 0...UInt32(plans.count), using: &random))
        case 33..<48: takeOutput()
        case 48..<60: deliverUp()
        case 60..<66: down += server.output()
        case 66..<80: deliverDown()
        case 80..<90: answer()
        case 90..<92: widen()
        case 92: server.change(RandomWalk.settings(&random))
        case 93: Bool.random(using: &random) ? server.ping() : client.ping()
        case 94: resetSomething()
        case 95:
            if let request = server.requests.randomElement(using: &random), !answered.contains(request.stream) {
                server.inform(request.stream, 103)
            }
        case 96: server.padding = [0, 0, 1, 30, 255].randomElement(using: &random) ?? 0
        case 97:
            let index = Int.random(in: kinds.indices, using: &random)
            kinds[index] = RandomWalk.kind(&random, drawsForms)
            try client.replace(index, by: kinds[index])
        case 98 where chance(200): goAway()
        default: break
        }
        if !client.violations.isEmpty || !server.complaints.isEmpty {
            failures += client.violations + server.complaints
        }
    }

    private func open() {
        for _ in 0..<Int.random(in: 1...8, using: &random) where client.openStreams < crowd {
            let kind = Int.random(in: kinds.indices, using: &random)
            let length = [4, 32, 32, Int.random(in: 0...200, using: &random)].randomElement(using: &random) ?? 4
            var token = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            if kinds[kind].hole == .path(.verbatim) { token = token.map { UInt8(ascii: "a") + $0 % 26 } }
            let plan = RequestPlan(kind: kind, token: token, tag: UInt32(plans.count))
            let accepts = client.connection.acceptsStreams
            let opened = client.open(plan)
            if opened != accepts { failures.append("open says \(opened) where acceptsStreams is \(accepts)") }
            guard opened else { return }
            plans.append((kinds[kind], plan))
        }
    }

    private func takeOutput() {
        up += client.takeOutput(chance(3) ? .max : Int.random(in: 1...3_000, using: &random))
    }

    private func deliverUp() {
        let count = chance(3) ? up.count : Int.random(in: 0...min(up.count, 2_000), using: &random)
        server.receive(Array(up.prefix(count)))
        up.removeFirst(count)
    }

    private func deliverDown() {
        let count = chance(3) ? down.count : Int.random(in: 0...min(down.count, 60), using: &random)
        client.receive(Array(down.prefix(count)))
        down.removeFirst(count)
    }

    private func answer() {
        let open = server.requests.suffix(600).filter { !answered.contains($0.stream) && !$0.isReset }
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            // Some requests are answered before their body is complete.
            guard let request = open.randomElement(using: &random), request.isComplete || chance(10) else { continue }
            answer(request.stream)
        }
    }

    private func answer(_ stream: Int32) {
        guard answered.insert(stream).inserted else { return }
        let body = (0..<Int.random(in: 0...1_500, using: &random)).map { UInt8(truncatingIfNeeded: $0) }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: server.answer(stream, 429, [Field("retry-after", "\(stream)")], body: body)
        case 1: server.answer(stream, 410, [Field("content-length", "\(body.count)")], body: body)
        case 2: server.answer(stream, 400, body: body, trailers: [Field("x-sum", "1")])
        case 3: server.answer(stream, 200, body: body)
        default: server.answer(stream, 200)
        }
    }

    private func widen() {
        guard !updatesWindows else { return }
        server.widen(0, by: Int32.random(in: 1...60_000, using: &random))
        for request in server.requests.suffix(20) where !request.isComplete && chance(3) {
            server.widen(request.stream, by: Int32.random(in: 1...9_000, using: &random))
        }
    }

    private func resetSomething() {
        guard let request = server.requests.suffix(100).randomElement(using: &random) else { return }
        answered.insert(request.stream)
        server.reset(request.stream, [2, 7, 8, 11].randomElement(using: &random) ?? 2)
        // Until the reset is written, libnghttp2 counts the stream as open and ignores its frames. A stream that the
        // client opens in its place would exceed the limit.
        down += server.output()
    }

    private func goAway() {
        if isGoing {
            server.goAway(server.requests.randomElement(using: &random)?.stream ?? 0)
        } else {
            server.announceShutdown()
        }
        isGoing = true
    }

    /// Runs all requests to their ends.
    func finish() {
        server.padding = 0
        server.change([(Setting.initialWindowSize, 1 << 20), (Setting.maximumConcurrentStreams, 10_000)])
        // A round may carry only windows and acknowledgments.
        var quietRounds = 0
        var rounds = 0
        while quietRounds < 4 {
            rounds += 1
            guard rounds < 20_000 else { return failures.append("it does not come to rest") }
            if !updatesWindows { server.widen(0, by: 1 << 20) }
            for request in server.requests where !request.isReset && request.isComplete {
                if !answered.contains(request.stream) { answer(request.stream) }
            }
            let sent = client.takeOutput(.max)
            up += sent
            server.receive(up)
            up = []
            let before = server.sent.count
            down += server.output()
            quietRounds = sent.isEmpty && before == server.sent.count ? quietRounds + 1 : 0
            client.receive(down)
            down = []
        }
    }
}
