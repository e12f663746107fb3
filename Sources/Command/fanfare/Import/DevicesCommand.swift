import ArgumentParser
import GatewayAPI
import GatewayStore
import LiveActivity

struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "Imports devices from another system.",
        discussion: """
            EXAMPLES:
              fanfare devices import phones.ndjson --tenant shop
            """,
        subcommands: [Import.self])

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Imports device records from a file: JSON, one object a line, or CSV.",
            discussion: """
                A record has the fields of the SDK's PUT device (insider_id, udid, platform, os_version, push_opt_in, \
                gdpr_consent, environment, ...). Add push_to_start_token, or registration_token for Android, if you \
                have it. An existing record is replaced, so you can run an interrupted import again. /dev/stdin reads \
                from a pipe.

                The first record of a CSV names the columns. If the names differ from the fields, map them in a YAML \
                file (--map):

                  columns: {insider_id: external_user_id, udid: device_id, token: la_token, platform: device_type}
                  values: {environment: production, gdpr_consent: true}
                  translate: {platform: {"0": ios, "1": android}}
                  delimiter: ";"

                values apply if the column is missing or the cell is empty. token becomes push_to_start_token or \
                registration_token, depending on the platform.

                EXAMPLES:
                  fanfare devices import phones.ndjson --tenant shop
                  fanfare devices import export.csv --map map.yaml --dry-run
                  fanfare devices import export.csv --map map.yaml --tenant shop --skip-refused
                  zcat phones.ndjson.gz | fanfare devices import /dev/stdin --tenant shop --json
                """)

        @Argument(help: "The file to import.", completion: .file(extensions: ["ndjson", "jsonl", "csv"]))
        var file: String

        @Option(help: "The tenant that owns the devices: its id, or its name if unique.")
        var tenant: String?

        @Option(help: "Format of the file. Default: csv for a name that ends in .csv or with --map, else ndjson.")
        var format: Format?

        @Option(
            help: ArgumentHelp("A YAML file that maps CSV columns to fields.", valueName: "file"),
            completion: .file(extensions: ["yaml", "yml"]))
        var map: String?

        @Flag(help: "Read the file and report what an import would do, without using the store.")
        var dryRun = false

        @Flag(help: "Skip and report invalid records, instead of stopping at the first.")
        var skipRefused = false

        @Flag(help: "Print JSON, and nothing else, on standard output.")
        var json = false

        @OptionGroup var options: ConfigurationOptions

        enum Format: String, ExpressibleByArgument, CaseIterable {
            case ndjson, csv
        }

        /// The sizes of batches. Each is twice as large as the previous one. Small batches write slow input early, and
        /// large ones need fewer commands for each device.
        private static let batches = 2000...128_000

        func validate() throws {
            if tenant == nil, !dryRun {
                throw ValidationError("--tenant is required: the tenant that owns the devices")
            }
            if map != nil, format == .ndjson { throw ValidationError("--map requires a CSV file") }
        }

        func run() async throws {
            let source = try source()
            let report: ImportReport
            if dryRun {
                report = try readThrough(source)
            } else {
                report = try await StoreAccess.changing(try options.load(), "devices import") { store, change in
                    let owner = try await store.tenants.tenant(calledOn: tenant ?? "").tenant
                    change = OperatorChange(tenantID: owner.id, object: file)
                    do {
                        let report = try await load(source, of: owner, into: store)
                        await store.usage.flush()
                        return report
                    } catch {
                        await store.usage.flush()
                        throw error
                    }
                }
            }
            if json {
                print(String(decoding: report.json(isDryRun: dryRun), as: UTF8.self))
            } else {
                print(report.text(file: file, isDryRun: dryRun))
            }
            // An import of this file would stop at the first refused record.
            if dryRun, !skipRefused, report.refused > 0 { throw ExitCode.failure }
        }

        private func source() throws -> any ImportSource {
            let lines = try LineReader(path: file)
            let isCSV = format.map { $0 == .csv } ?? (map != nil || file.lowercased().hasSuffix(".csv"))
            guard isCSV else { return JSONLinesSource(lines) }
            let map = try map.map { try ImportMap(file: $0) } ?? ImportMap()
            do {
                return try CSVSource(lines, map)
            } catch let failure as CommandFailure {
                throw CommandFailure("\(file): \(failure.description)")
            }
        }

        private func readThrough(_ source: any ImportSource) throws -> ImportReport {
            var (source, report) = (source, ImportReport(isDryRun: true))
            let display = ImportDisplay(total: source.size, isSilent: json)
            report.unusedColumns = source.unusedColumns
            do {
                var number = 0
                while let record = try source.next() {
                    switch record.device {
                    case .success(let device): report.add(device)
                    case .failure(let reason): report.refuse(line: record.line, "\(reason)")
                    }
                    number += 1
                    if number % Import.batches.lowerBound == 0 {
                        try Interruption.check()
                        display.progressed(source.bytesRead)
                    }
                }
            } catch {
                display.fail()
                throw named(error)
            }
            display.progressed(source.size)
            display.finish()
            return report
        }

        /// Reads each batch while the previous one is written.
        private func load(
            _ source: any ImportSource, of tenant: Tenant, into store: GatewayStore
        ) async throws -> ImportReport {
            let display = ImportDisplay(total: source.size, isSilent: json)
            let writer = ImportWriter(store, tenant)
            do {
                let report = try await read(source, to: writer, display)
                display.finish()
                return report
            } catch {
                // Waits for the batch in progress, so that the next flush includes its counts.
                await writer.settle()
                display.fail()
                throw named(error)
            }
        }

        private func read(
            _ source: any ImportSource, to writer: ImportWriter, _ display: ImportDisplay
        ) async throws -> ImportReport {
            var (source, report) = (source, ImportReport(isDryRun: false))
            report.unusedColumns = source.unusedColumns
            var size = Import.batches.lowerBound
            var batch = writer.batch(capacity: size)
            while let record = try source.next() {
                if batch.isOver {
                    do {
                        try Interruption.check()
                    } catch {
                        throw CommandFailure("line \(record.line): \(error); run the import again")
                    }
                    if batch.count == size { size = min(2 * size, Import.batches.upperBound) }
                    try await writer.write(batch)
                    batch = writer.batch(capacity: size)
                    display.progressed(source.bytesRead)
                }
                switch record.device {
                case .success(let device):
                    report.add(device)
                    batch.append(device.key, device.device, token: device.token)
                case .failure(let reason) where skipRefused:
                    report.refuse(line: record.line, "\(reason)")
                case .failure(let reason):
                    throw CommandFailure("line \(record.line): \(reason); fix it and run the import again")
                }
            }
            try await writer.write(batch)
            try await writer.finish()
            display.progressed(source.size)
            return report
        }

        /// Adds the file's name to an error about a line.
        private func named(_ error: any Error) -> any Error {
            guard let failure = error as? CommandFailure, failure.description.hasPrefix("line ") else { return error }
            return CommandFailure("\(file), \(failure.description)")
        }
    }
}
