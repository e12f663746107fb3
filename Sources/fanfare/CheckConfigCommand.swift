import ArgumentParser
import Foundation
import GatewayConfiguration

struct CheckConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Reads the configuration, says what is wrong with it, and touches nothing.")

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Also print every value in force and where it comes from; secrets are hidden.")
    var show = false

    func run() throws {
        let report = GatewayConfiguration.examine(
            file: options.file, environment: ProcessInfo.processInfo.environment)
        for problem in report.problems { print(problem) }
        if show { print(report.listing) }
        do {
            _ = try report.checked()
        } catch {
            throw ExitCode.failure
        }
        if report.problems.isEmpty {
            print("The configuration is in order (\(report.file ?? "no file; defaults and environment")).")
        }
    }
}
