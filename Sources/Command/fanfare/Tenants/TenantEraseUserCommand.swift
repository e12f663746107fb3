import ArgumentParser
import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import TimeCore

struct TenantEraseUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase-user",
        abstract: "Erases a user or a device, even if the tenant is disabled.",
        discussion: """
            Does the same as DELETE /api/v1/users/{insider_id}, and also works for a tenant that is disabled or below \
            the required tier. When the command ends, the user is unknown. The gateways erase the remaining data at \
            once, or as soon as a gateway runs. With --udid it erases one device. With the last device it also erases \
            a user who never followed or unfollowed a topic.

            EXAMPLES:
              fanfare tenant erase-user shop user-17
              fanfare tenant erase-user shop user-17 --udid 7A1F6A0E-98F1-4C5E-9D0C-4A8E0D6F1B2C
            """)

    @OptionGroup var tenant: TenantArgument

    @Argument(help: ArgumentHelp("The user's insider_id.", valueName: "insider-id"))
    var insiderID: String

    @Option(help: "Erase only this device of the user.")
    var udid: String?

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        for (name, what) in [(insiderID, "the insider_id"), (udid ?? "-", "--udid")] where !DeviceKey.isName(name) {
            throw ValidationError("\(what) must have 1 to \(DeviceKey.maximumLength) bytes")
        }
    }

    func run() async throws {
        let start = try await StoreAccess.changing(try options.load(), "tenant erase-user") { store, change in
            let found = try await tenant.find(in: store, noting: &change).tenant
            let names = [insiderID, udid].compactMap { $0 }
            change.object = names.map(AuditRecord.pseudonym).joined(separator: "/")
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
        guard !known.isEmpty else {
            let (name, field) = udid == nil ? ("user", "insider_id") : ("device", "insider_id and --udid")
            return print("the \(name) is unknown: check \(field); the gateways erase other data under this name")
        }
        print("erased: \(known.joined(separator: ", ")); the gateways erase the remaining data")
    }
}
