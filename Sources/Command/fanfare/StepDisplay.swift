import Demo
import Foundation
import LoadTest
import Reactor
import TerminalDisplay

/// Shows the progress of each step on standard error.
final class StepDisplay: DemoObserver, LoadObserver {
    private let display: ProgressDisplay?
    private let steps = Locked<[String: ProgressStep]>([:])

    /// - Parameter isSilent: True to show nothing.
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

    /// Marks unfinished steps as failed.
    func finish() {
        for step in steps.withLock({ $0.values.map { $0 } }) { step.fail("interrupted") }
    }
}
