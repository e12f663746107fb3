import ArgumentParser
import Foundation
import LoadTest
import TerminalDisplay
import UnixSignals

/// Carries out a load test as a command: progress, signals, report, exit status.
struct LoadtestSession {
    let options: LoadtestOptions

    /// The status of a command that was ended by Ctrl-C.
    private static let interrupted = ExitCode(130)

    func run(_ test: (any LoadObserver, LoadControl) async throws -> LoadReport) async throws {
        let display = StepDisplay(isSilent: options.json)
        let control = LoadControl()
        let caught = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let signals = Task {
            for await _ in caught {
                // The second one does not wait for the report.
                if control.isStopped { _exit(LoadtestSession.interrupted.rawValue) }
                control.stop()
            }
        }
        defer { signals.cancel() }
        if !options.json { StandardError.print("Press Ctrl-C to stop early and get the report so far") }
        let report: LoadReport
        do {
            report = try await test(display, control)
        } catch {
            display.finish()
            throw CommandFailure("the load test failed: \(error)")
        }
        show(report)
        if control.isStopped { throw LoadtestSession.interrupted }
        if !options.allowFailures, isFailure(report) { throw ExitCode.failure }
    }

    private func show(_ report: LoadReport) {
        if options.json {
            print(String(decoding: report.json, as: UTF8.self))
        } else {
            let style = TerminalOutput.standardOutput.style(environment: ProcessInfo.processInfo.environment)
            print("\n" + report.text(style), terminator: "")
        }
    }

    private func isFailure(_ report: LoadReport) -> Bool {
        report.isBrokenOff || !report.isRight || !(report.matchDay?.isWhole ?? true)
            || report.failed > (options.allowRateLimited ? report.rateLimited : 0)
    }
}
