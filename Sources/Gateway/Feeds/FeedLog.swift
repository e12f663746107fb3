import FeedCore
import Logging

/// Writes a line when the state of a feed changes, and one for an element that is refused, until it is refused for
/// another reason or taken.
struct FeedLog {
    private let logger: Logger
    private var failure: FeedFailure?
    private var refusals: Set<String> = []

    /// Lines about elements of one poll; further ones are counted.
    private static let mostLines = 10

    init(_ options: FeedOptions, _ logger: Logger) {
        var logger = logger
        logger[metadataKey: "feed"] = "\(options.number)"
        logger[metadataKey: "host"] = "\(options.host)"
        self.logger = logger
    }

    /// This gateway polls it from now on.
    /// - Parameter state: how another one left it.
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

    /// A topic's place in the list may change.
    private static func key(_ place: Int, _ refusal: ElementRefusal) -> String {
        "\(refusal.topic ?? "\(place)") \(refusal.code) \(refusal.text)"
    }
}
