import ArgumentParser
import Demo
import Foundation
import LiveActivity
import Logging

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Runs and verifies a broadcast on this machine, without configuration.",
        discussion: """
            Starts a private redis-server, mocks of APNs, its sandbox and FCM, and a gateway. Registers a segment of \
            iPhones, Android phones, developers' phones and phones that allow no notifications. Starts a Live Activity \
            on them, reports it, updates it and ends it. Then a feed publishes a match, which half of the phones \
            follow before kick-off and some later. The demo compares all counts of the gateway with those of the \
            providers, and the content of each phone with the expected one. Exits with 1 if anything differs. Deletes \
            all its files at the end.

            EXAMPLES:
              fanfare demo
              fanfare demo --devices 100000 --updates 5
              fanfare demo --json > demo.json
            """)

    @Option(help: ArgumentHelp("Number of devices in the segment.", valueName: "number"))
    var devices = 10_000

    @Option(help: ArgumentHelp("Number of updates between start and end.", valueName: "number"))
    var updates = 2

    @Flag(help: "Print JSON, and nothing else, on standard output.")
    var json = false

    func validate() throws {
        guard (1...2_000_000).contains(devices) else { throw ValidationError("--devices must be 1 to 2,000,000") }
        guard (1...100).contains(updates) else { throw ValidationError("--updates must be 1 to 100") }
    }

    func run() async throws {
        // Other users must not read the demo's files.
        umask(0o077)
        var options = DemoOptions()
        options.devices = devices
        options.updates = updates
        let display = StepDisplay(isSilent: json)
        let report: DemoReport
        do {
            report = try await Demo.run(
                options, observer: display,
                logger: Logger(label: "fanfare.demo") { _ in
                    SwiftLogNoOpLogHandler()
                })
        } catch {
            display.finish()
            throw CommandFailure("the demo failed: \(PlainWords.of(error))")
        }
        display.finish()
        print(json ? String(decoding: report.json, as: UTF8.self) : report.summary)
        if !report.isRight { throw ExitCode.failure }
    }
}

extension DemoReport {
    /// The report as JSON.
    var json: [UInt8] {
        JSONWriter.object { writer in
            writer.field("right", isRight)
            writer.field("devices", devices)
            writer.array("broadcasts") { array in
                for broadcast in broadcasts {
                    array.object {
                        $0.field("name", broadcast.name)
                        $0.field("sessions_triggered", broadcast.triggered)
                        $0.field("accepted_by_provider", broadcast.accepted)
                        if !broadcast.cohorts.isEmpty {
                            $0.object("cohorts") { writer in
                                for cohort in broadcast.cohorts {
                                    writer.object(cohort.name) {
                                        $0.field("devices", cohort.devices)
                                        $0.field("accepted", cohort.accepted)
                                    }
                                }
                            }
                        }
                        $0.field("seconds", broadcast.seconds)
                        $0.field("pushes_per_second", broadcast.rate)
                        $0.field("median_ms", broadcast.median)
                        $0.field("p99_ms", broadcast.percentile99)
                        $0.field("last_ms", broadcast.last)
                    }
                }
            }
            writer.object("sync") {
                $0.field("requests_per_second", syncRate)
                $0.field("median_ms", syncMedian)
                $0.field("p99_ms", syncPercentile99)
            }
            writer.field("wrong_phones", wrongPhones)
            writer.array("checks") { array in
                for check in checks {
                    array.object {
                        $0.field("name", check.name)
                        $0.field("expected", check.expected)
                        $0.field("found", check.found)
                        $0.field("right", check.isRight)
                    }
                }
            }
        }
    }
}
