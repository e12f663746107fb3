import Demo
import Foundation
import TerminalDisplay

extension DemoReport {
    /// The summary for people.
    var summary: String {
        let style = TerminalOutput.standardOutput.style(environment: ProcessInfo.processInfo.environment)
        var table = Table([
            .init("broadcast"), .init("pushes", .right), .init("per second", .right), .init("half after", .right),
            .init("99 % after", .right), .init("all after", .right),
        ])
        for broadcast in broadcasts {
            table.add(
                broadcast.name, Format.count(broadcast.triggered), Format.rate(broadcast.rate),
                Format.duration(.milliseconds(broadcast.median)),
                Format.duration(.milliseconds(broadcast.percentile99)),
                Format.duration(.milliseconds(broadcast.last)))
        }
        var summary = Summary("\(Format.count(devices)) devices, \(connections) connections")
        let sync = [syncMedian, syncPercentile99].map { Format.duration(.microseconds(Int($0 * 1000))) }
        summary.add("syncs", "\(Format.rate(syncRate))")
        summary.add("half of the syncs within", sync[0])
        summary.add("99 % of the syncs within", sync[1])
        summary.addGap()
        for check in checks {
            let found = Format.count(check.found)
            summary.check(
                check.name, check.isRight ? found : "\(found), expected \(Format.count(check.expected))",
                passed: check.isRight)
        }
        let wrong = wrongPhones.map { "\n\($0)" }.joined()
        return "\n\(table.render(style))\n\n\(summary.render(style))\(wrong)"
    }
}
