import FeedCore
import Logging

/// Logs changes of a feed's state. Logs a refused element once, until the reason changes or it is accepted.
struct FeedLog {
    private let logger: Logger
    private var failure: FeedFailure?
    private var refusals: Set<String> = []

    /// The maximum number of lines about elements of one poll; further ones are counted.
    private static let mostLines = 10

    init(_ options: FeedOptions, _ logger: Logger) {
        var logger = logger
        logger[metadataKey: "feed"] = "\(options.number)"
        logger[metadataKey: "host"] = "\(options.host)"
        self.logger = logger
    }

    /// Logs that this gateway polls the feed from now on.
    /// - Parameter state: The state that another gateway left.
    mutating func tookOver(_ state: FeedState) {
        failure = state.failure
        logger.info("topic feed polling started")
    }

    mutating func failed(_ failure: FeedFailure, detail: String?, pauseInMilliseconds: Int64) {
        guard failure != self.failure else { return }
        self.failure = failure
        var metadata: Logger.Metadata = [
            "failure": "\(failure.rawValue)", "error": "the feed \(failure.explanation)",
            "in_ms": .stringConvertible(pauseInMilliseconds),
        ]
        if let detail { metadata["reason"] = "\(detail)" }
        logger.warning("topic feed failed, retrying", metadata: metadata)
    }

    mutating func succeeded() {
        guard failure != nil else { return }
        failure = nil
        logger.notice("topic feed available")
    }

    mutating func refused(_ found: [Int: ElementRefusal]) {
        let former = refusals
        refusals = Set(found.map { FeedLog.key($0, $1) })
        let fresh = found.sorted { $0.key < $1.key }.filter { !former.contains(FeedLog.key($0.key, $0.value)) }
        for (place, refusal) in fresh.prefix(FeedLog.mostLines) {
            logger.warning(
                "feed element skipped",
                metadata: [
                    "element": "\(place)", "topic": "\(refusal.topic ?? "-")", "code": "\(refusal.code)",
                    "reason": "\(refusal.text)",
                ])
        }
        let rest = fresh.count - FeedLog.mostLines
        if rest > 0 {
            logger.warning("further feed elements skipped", metadata: ["count": .stringConvertible(rest)])
        }
    }

    /// Identifies a refusal by topic, because a topic's place in the list may change.
    private static func key(_ place: Int, _ refusal: ElementRefusal) -> String {
        "\(refusal.topic ?? "\(place)") \(refusal.code) \(refusal.text)"
    }
}
