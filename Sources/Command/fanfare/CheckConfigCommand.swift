import ArgumentParser
import Foundation
import GatewayConfiguration
import LiveActivity

struct CheckConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Validates the configuration, without connecting to anything.",
        discussion: """
            Exits with 0 if a gateway can start with it, even with warnings; otherwise with 1.

            EXAMPLES:
              fanfare check-config
              fanfare check-config --config /etc/fanfare/fanfare.yaml --show
              fanfare check-config --json
            """)

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Also print every value in force and its source; secrets are hidden.")
    var show = false

    @Flag(help: "Print JSON, and nothing else, on standard output.")
    var json = false

    func run() throws {
        let report = GatewayConfiguration.examine(
            file: options.file, environment: ProcessInfo.processInfo.environment)
        let isUsable = (try? report.checked()) != nil
        if json {
            print(String(decoding: report.json(isUsable: isUsable, showsValues: show), as: UTF8.self))
        } else {
            for problem in report.problems { print(problem) }
            for note in report.notes { print("note: \(note)") }
            if show { print(report.listing) }
            let source = report.file ?? "no file; defaults and environment"
            if report.problems.isEmpty {
                print("The configuration is valid (\(source)).")
            } else if isUsable {
                print("A gateway can start with this configuration (\(source)).")
            }
        }
        if !isUsable { throw ExitCode.failure }
    }
}

extension ConfigurationReport {
    /// The report for programs.
    fileprivate func json(isUsable: Bool, showsValues: Bool) -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("usable", isUsable)
            writer.field("file", file)
            writer.array("problems") { array in
                for problem in problems {
                    array.object {
                        $0.field("severity", problem.severity.rawValue)
                        $0.field("key", problem.key)
                        $0.field("message", problem.message)
                        $0.field("advice", problem.advice)
                        $0.field("source", problem.source?.description)
                    }
                }
            }
            writer.array("notes") { array in
                for note in notes { array.element(note) }
            }
            guard showsValues else { return }
            writer.array("values") { array in
                for entry in entries {
                    array.object {
                        $0.field("key", entry.key)
                        $0.field("variable", entry.variable)
                        $0.field("value", entry.value)
                        $0.field("source", entry.source.description)
                    }
                }
            }
        }
    }
}
