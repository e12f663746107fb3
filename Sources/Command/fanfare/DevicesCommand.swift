import ArgumentParser
import GatewayAPI
import GatewayStore
import LiveActivity

struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "Moves devices in from another system.",
        discussion: """
            EXAMPLES:
              fanfare devices import phones.ndjson --tenant shop
            """,
        subcommands: [Import.self])

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Reads device records from a file, one JSON object a line.",
            discussion: """
                A record has the fields of the SDK's PUT device (insider_id, udid, platform, os_version, push_opt_in, \
                gdpr_consent, environment, ...) and, where there is one, push_to_start_token, of an Android device \
                registration_token. A record that is there already is replaced, so an import that was broken off is simply run again. /dev/stdin reads what is piped in.

                EXAMPLES:
                  fanfare devices import phones.ndjson --tenant shop
                  zcat phones.ndjson.gz | fanfare devices import /dev/stdin --tenant shop --json
                """)

        @Argument(help: "The file.", completion: .file(extensions: ["ndjson", "jsonl"]))
        var file: String

        @Option(help: "The tenant whose devices they are: its id, or its name when no other has it.")
        var tenant: String

        @Flag(help: "Print JSON, and nothing else, on standard output.")
        var json = false

        @OptionGroup var options: ConfigurationOptions

        /// Each batch is twice as large as the one before: what comes slowly is soon written, and of many devices few calls do.
        private static let batches = 2000...32_000

        func run() async throws {
            let lines = try LineReader(path: file)
            let count = try await StoreAccess.changing(try options.load(), "devices import") { store, change in
                let owner = try await store.tenants.tenant(calledOn: tenant).tenant
                change = OperatorChange(tenantID: owner.id, object: file)
                do {
                    let count = try await load(lines, of: owner, into: store)
                    await store.usage.flush()
                    return count
                } catch {
                    await store.usage.flush()
                    throw error
                }
            }
            if json { print(#"{"imported":\#(count)}"#) } else { print("\(count) devices imported") }
        }

        /// Reads a batch while the one before is written.
        private func load(_ lines: LineReader, of tenant: Tenant, into store: GatewayStore) async throws -> Int {
            let display = ImportDisplay(total: lines.size, isSilent: json)
            let writer = ImportWriter(store, tenant)
            do {
                let count = try await read(lines, to: writer, display)
                display.finish()
                return count
            } catch {
                // What is being written is told as well.
                await writer.settle()
                display.fail()
                throw error
            }
        }

        private func read(
            _ lines: LineReader, to writer: ImportWriter, _ display: ImportDisplay
        ) async throws -> Int {
            var lines = lines
            var number = 0
            var count = 0
            var size = Import.batches.lowerBound
            var batch: [(key: DeviceKey, device: Device, token: [UInt8]?)] = []
            while let line = try lines.next() {
                number += 1
                if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
                do {
                    let record = try DeviceLine(line)
                    batch.append((record.key, record.device, record.token))
                } catch {
                    throw CommandFailure("\(file), line \(number): \(error); fix it and run the import again")
                }
                if batch.count == size {
                    do {
                        try Interruption.check()
                    } catch {
                        throw CommandFailure("\(file), line \(number): \(error); run the import again")
                    }
                    try await writer.write(batch)
                    count += batch.count
                    batch.removeAll(keepingCapacity: true)
                    size = min(2 * size, Import.batches.upperBound)
                    display.progressed(lines.bytesRead)
                }
            }
            try await writer.write(batch)
            try await writer.finish()
            display.progressed(lines.size)
            return count + batch.count
        }
    }
}
