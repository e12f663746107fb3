import Demo
import Foundation
import Reactor
import TerminalDisplay

/// Shows how far the demo is, and its summary.
final class DemoDisplay: DemoObserver {
    private let display: ProgressDisplay?
    private let steps = Locked<[String: ProgressStep]>([:])

    /// - Parameter isSilent: nothing is shown.
    init(isSilent: Bool) {
        display =
            isSilent ? nil : ProgressDisplay(output: .standardError, environment: ProcessInfo.processInfo.environment)
    }

    func began(_ step: String, total: Int?) {
        guard let display else { return }
        let begun = display.begin(step, total: total)
        steps.withLock { $0[step] = begun }
    }

    func progressed(_ step: String, done: Int) {
        steps.withLock { $0[step] }?.advance(to: done)
    }

    func ended(_ step: String, note: String) {
        steps.withLock { $0.removeValue(forKey: step) }?.finish(note)
    }

    /// What was under way when the demo broke off is marked as failed.
    func finish() {
        for step in steps.withLock({ $0.values.map { $0 } }) { step.fail("broken off") }
    }

    func summary(_ report: DemoReport) -> String {
        let style = TerminalOutput.standardOutput.style(environment: ProcessInfo.processInfo.environment)
        var table = Table([
            .init("broadcast"), .init("pushes", .right), .init("per second", .right), .init("half after", .right),
            .init("99 % after", .right), .init("all after", .right),
        ])
        for broadcast in report.broadcasts {
            table.add(
                broadcast.name, Format.count(broadcast.triggered), Format.rate(broadcast.rate),
                Format.duration(.milliseconds(broadcast.median)),
                Format.duration(.milliseconds(broadcast.percentile99)),
                Format.duration(.milliseconds(broadcast.last)))
        }
        var summary = Summary("\(Format.count(report.devices)) devices, \(report.connections) connections")
        let sync = [report.syncMedian, report.syncPercentile99].map { Format.duration(.microseconds(Int($0 * 1000))) }
        summary.add("syncs", "\(Format.rate(report.syncRate))")
        summary.add("half of the syncs within", sync[0])
        summary.add("99 % of the syncs within", sync[1])
        summary.addGap()
        for check in report.checks {
            let found = Format.count(check.found)
            summary.check(
                check.name, check.isRight ? found : "\(found), expected \(Format.count(check.expected))",
                passed: check.isRight)
        }
        return "\n\(table.render(style))\n\n\(summary.render(style))"
    }
}
