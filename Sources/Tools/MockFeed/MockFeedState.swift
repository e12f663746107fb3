import LiveActivity
public import NIOHTTP1
public import TimeCore

/// A request that a mock feed received.
public struct MockFeedRequest: Sendable {
    /// The time of the request.
    public let time: MonotonicTime
    /// The header fields as received.
    public let headers: HTTPHeaders
    /// The status of the answer; 0 if the connection was closed or the answer stopped halfway.
    public let status: Int
}

/// The state of a mock feed: its script and counts. A state machine without I/O; the time is an argument.
struct MockFeedState: Sendable {
    private(set) var script = MockFeedScript()
    private(set) var requests: [MockFeedRequest] = []
    private(set) var count = 0
    private(set) var countsByStatus: [Int: Int] = [:]
    private var begun: MonotonicTime?
    /// The number of requests with the current fault.
    private var faults = 0

    /// The maximum number of recorded requests. Further ones are only counted.
    private static let longestLedger = 10_000

    /// The answer to a request.
    enum Answer {
        case reply(status: Int, headers: HTTPHeaders, body: [UInt8], delay: TimeInterval)
        /// The head and half of the body.
        case half([UInt8])
        case close
    }

    mutating func set(_ script: MockFeedScript, now: MonotonicTime) {
        self.script = script
        begun = now
        faults = 0
    }

    mutating func set(_ fault: MockFeedFault?) {
        script.fault = fault
        faults = 0
    }

    mutating func received(_ headers: HTTPHeaders, now: MonotonicTime) -> Answer {
        let answer = answer(headers, now)
        var status = 0
        if case .reply(let own, _, _, _) = answer { status = own }
        count += 1
        countsByStatus[status, default: 0] += 1
        if requests.count < Self.longestLedger {
            requests.append(MockFeedRequest(time: now, headers: headers, status: status))
        }
        return answer
    }

    private mutating func answer(_ headers: HTTPHeaders, _ now: MonotonicTime) -> Answer {
        let body = script.body(at: begun.map { now - $0 } ?? .zero)
        var own = HTTPHeaders([("content-type", "application/json")])
        var delay = TimeInterval.zero
        if let fault = script.fault, fault.limit.map({ faults < $0 }) ?? true {
            faults += 1
            switch fault.kind {
            case .reset: return .close
            case .stall: return .half(body)
            case .delay: delay = fault.delay
            case .malformed:
                return .reply(status: 200, headers: own, body: Array("{\"topics\": [".utf8), delay: .zero)
            case .huge:
                let body = [UInt8](repeating: UInt8(ascii: " "), count: fault.bytes)
                return .reply(status: 200, headers: own, body: body, delay: .zero)
            case .status:
                if let text = fault.retryAfter { own.add(name: "retry-after", value: text) }
                if (301...308).contains(fault.status) { own.add(name: "location", value: "/elsewhere") }
                return .reply(status: fault.status, headers: own, body: [], delay: .zero)
            }
        }
        if script.hasTags {
            let tag = "\"\(Self.hash(body))\""
            own.add(name: "etag", value: tag)
            if headers[canonicalForm: "if-none-match"].contains(Substring(tag)) {
                return .reply(status: 304, headers: own, body: [], delay: delay)
            }
        }
        return .reply(status: 200, headers: own, body: body, delay: delay)
    }

    /// Returns the FNV-1a hash.
    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    }

    /// The counts as a JSON object.
    var counts: [UInt8] {
        JSONWriter.object { writer in
            writer.field("requests", count)
            writer.object("by_status") { writer in
                for (status, count) in countsByStatus.sorted(by: { $0.key < $1.key }) {
                    writer.field(String(status), count)
                }
            }
        }
    }
}
