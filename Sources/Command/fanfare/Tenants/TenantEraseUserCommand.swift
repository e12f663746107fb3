import ArgumentParser
import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import TimeCore

struct TenantEraseUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase-user",
        abstract: "Forgets a user, also of a tenant that is disabled or below the tier.",
        discussion: """
            Does what DELETE /api/v1/users/{insider_id} does, whose customers get 403 or 402 then. When the command is over \
            nobody knows the user any more; the gateways go on with the rest at once, or as soon as one is running. With --udid \
            one device is forgotten, and the user with the last one.

            EXAMPLES:
              fanfare tenant erase-user shop user-17
              fanfare tenant erase-user shop user-17 --udid 7A1F6A0E-98F1-4C5E-9D0C-4A8E0D6F1B2C
            """)

    @OptionGroup var tenant: TenantArgument

    @Argument(help: ArgumentHelp("The user.", valueName: "insider-id"))
    var insiderID: String

    @Option(help: "This device of the user alone.")
    var udid: String?

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        // Devices of former versions may have such names.
        for (name, what) in [(insiderID, "the insider_id"), (udid ?? "-", "--udid")]
        where !DeviceKey.isName(name) && !DeviceKey.isDotSegment(name.utf8) {
            throw ValidationError("\(what) has 1 to \(DeviceKey.maximumLength) bytes")
        }
    }

    func run() async throws {
        let start = try await StoreAccess.changing(try options.load(), "tenant erase-user") { store, change in
            let found = try await tenant.find(in: store).tenant
            let names = [insiderID, udid].compactMap { $0 }
            change = OperatorChange(
                tenantID: found.id, object: names.map(AuditRecord.pseudonym).joined(separator: "/"))
            let start: ErasureStart
            if let udid {
                start = try await store.erasures.begin(
                    DeviceKey(insiderID: insiderID, udid: udid), tenantID: found.id)
            } else {
                start = try await store.erasures.begin(insiderID, tenantID: found.id)
            }
            try await store.erasures.postpone(start.erasure, by: .zero)
            await store.usage.flush()
            return start
        }
        var known = start.users == 1 ? ["the user"] : []
        if start.devices > 0 { known.append(start.devices == 1 ? "1 device" : "\(start.devices) devices") }
        let done = known.isEmpty ? "nobody was known by this name" : "forgotten: \(known.joined(separator: ", "))"
        print("\(done); what else there is the gateways forget")
    }
}
