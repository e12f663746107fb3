import Foundation
import LineLog
import LiveActivity
import Logging
import Reactor
import TimeCore

/// Keeps every line that a gateway logs.
final class CapturedLog: Sendable {
    private let kept = Locked<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    func logger(_ level: Logger.Level) -> Logger {
        var logger = Logger(label: "captured") { label in
            LineLogHandler(label: label, form: .json) { bytes, _ in
                self.kept.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
            }
        }
        logger.logLevel = level
        return logger
    }

    struct Line: Sendable {
        let level: String
        let message: String
        let metadata: [String: String]
    }

    /// All lines, read as the JSON that they must be.
    func read() throws -> [Line] {
        try lines.map { line in
            guard line.hasSuffix("\n"), !line.dropLast().contains("\n") else { throw NoLine(line: line) }
            let root = try JSONDocument(parsing: Array(line.dropLast().utf8)).root
            guard let level = try root.member("level")?.string, let message = try root.member("message")?.string,
                let time = try root.member("time")?.string, time.hasSuffix("Z")
            else { throw NoLine(line: line) }
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            let metadata = object?["metadata"] as? [String: Any] ?? [:]
            return Line(
                level: level, message: message,
                metadata: metadata.compactMapValues { ($0 as? String) ?? ($0 as? NSNumber)?.stringValue })
        }
    }

    /// The lines of a broadcast, once there is one with this message: a caller may be answered a moment before.
    func lines(of broadcast: String, until message: String) async throws -> [Line] {
        let end = MonotonicTime.now() + .seconds(30)
        while true {
            let about = try read().filter { $0.metadata["broadcast_id"] == broadcast }
            if about.contains(where: { $0.message == message }) || MonotonicTime.now() > end { return about }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    struct NoLine: Error {
        let line: String
    }
}
