import Foundation
import TerminalDisplay

/// Shows how far an import is, by the bytes read.
struct ImportDisplay {
    private let step: ProgressStep?

    init(total: Int, isSilent: Bool) {
        guard !isSilent else {
            step = nil
            return
        }
        let display = ProgressDisplay(output: .standardError, environment: ProcessInfo.processInfo.environment)
        step = display.begin("import", total: total)
    }

    func progressed(_ bytes: Int) {
        step?.advance(to: bytes)
    }

    func finish() {
        step?.finish("bytes read")
    }

    func fail() {
        step?.fail("interrupted")
    }
}
