import GatewayAPI
import LiveActivity
import TerminalDisplay

/// The counts of an import, and the reasons for refused records.
struct ImportReport {
    private(set) var devices = 0
    private(set) var refused = 0
    private var withToken = 0
    private var platforms: [String: Int] = [:]
    private var environments: [String: Int] = [:]
    private var reasons: [String: (count: Int, lines: [Int])] = [:]
    /// Hashes of the devices and tokens so far, for detecting repetitions. Nil outside a dry run, which then counts
    /// only devices and refusals.
    private var seen: (devices: Set<Int>, tokens: Set<Int>)?
    private var repeatedDevices = 0
    private var repeatedTokens = 0
    var unusedColumns: [String] = []

    /// The number of lines named for each reason.
    private static let linesKept = 5
    private static let namesShown = 20
    /// The number of distinct reasons. Further ones count as "other reasons".
    private static let reasonsKept = 50

    /// - Parameter isDryRun: True to detect repetitions, which takes about 40 bytes a record.
    init(isDryRun: Bool) {
        seen = isDryRun ? ([], []) : nil
    }

    mutating func add(_ device: DeviceLine) {
        devices += 1
        guard seen != nil else { return }
        platforms[device.device.platform.rawValue, default: 0] += 1
        environments[device.device.environment.rawValue, default: 0] += 1
        if device.token != nil { withToken += 1 }
        if seen?.devices.insert(device.key.hashValue).inserted == false { repeatedDevices += 1 }
        if let token = device.token, seen?.tokens.insert(token.hashValue).inserted == false { repeatedTokens += 1 }
    }

    mutating func refuse(line: Int, _ reason: String) {
        refused += 1
        let known = reasons[reason] != nil || reasons.count < ImportReport.reasonsKept
        var found = reasons[known ? reason : "other reasons"] ?? (0, [])
        found.count += 1
        if found.lines.count < ImportReport.linesKept { found.lines.append(line) }
        reasons[known ? reason : "other reasons"] = found
    }

    /// Lists column names on one line. Long lists are cut, and control characters are replaced.
    static func list(_ names: [String]) -> String {
        let more = names.count > namesShown ? " and \(names.count - namesShown) more" : ""
        return Format.line(names.prefix(namesShown).joined(separator: ", ")) + more
    }

    /// The reasons for refusals, the most frequent first.
    private var ordered: [(reason: String, count: Int, lines: [Int])] {
        reasons.map { (reason: $0, count: $1.count, lines: $1.lines) }
            .sorted { ($1.count, $0.lines.first ?? 0) < ($0.count, $1.lines.first ?? 0) }
    }

    /// Returns the report as lines of text.
    func text(file: String, isDryRun: Bool) -> String {
        var lines = [
            isDryRun ? "\(file): \(devices + refused) records, nothing was written" : "\(devices) devices imported"
        ]
        func line(_ name: String, _ text: String) {
            lines.append("  \(name)\(String(repeating: " ", count: 10 - name.count))\(text)")
        }
        if isDryRun {
            let kinds = [counts(platforms), counts(environments)].filter { !$0.isEmpty }.joined(separator: "; ")
            line("devices", devices == 0 ? "0" : "\(devices): \(kinds)")
            line("tokens", "\(withToken) with a token")
            if repeatedDevices + repeatedTokens > 0 {
                line(
                    "repeated",
                    "\(repeatedDevices) records replace an earlier record of the same device; "
                        + "\(repeatedTokens) move a token of an earlier record")
            }
        }
        if refused > 0 {
            line("refused", "\(refused) records")
            for entry in ordered {
                let more = entry.count > entry.lines.count ? ", ..." : ""
                let places = entry.lines.map(String.init).joined(separator: ", ")
                line("", "\(entry.count) x \(entry.reason): line \(places)\(more)")
            }
        }
        if !unusedColumns.isEmpty { line("unused", "the columns \(ImportReport.list(unusedColumns))") }
        return lines.joined(separator: "\n")
    }

    private func counts(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    /// Returns the report as a JSON object.
    func json(isDryRun: Bool) -> [UInt8] {
        JSONWriter.object { object in
            object.field(isDryRun ? "devices" : "imported", devices)
            object.field("refused", refused)
            object.array("reasons") { array in
                for entry in ordered {
                    array.object { reason in
                        reason.field("reason", entry.reason)
                        reason.field("count", entry.count)
                        reason.array("lines") { lines in
                            for line in entry.lines { lines.element(line) }
                        }
                    }
                }
            }
            object.array("unused_columns") { array in
                for column in unusedColumns { array.element(column) }
            }
            guard isDryRun else { return }
            object.field("with_token", withToken)
            object.field("repeated_devices", repeatedDevices)
            object.field("repeated_tokens", repeatedTokens)
            for (name, counts) in [("platforms", platforms), ("environments", environments)] {
                object.object(name) { inner in
                    for (key, count) in counts.sorted(by: { $0.key < $1.key }) { inner.field(key, count) }
                }
            }
        }
    }
}
