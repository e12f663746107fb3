import ArgumentParser
import GatewayStore

struct TenantRecountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recount",
        abstract: "Counts a tenant's users and devices anew.",
        discussion: """
            The counts are right but for what gateways had not told yet that were killed. The keys of all tenants are walked \
            through beside what the gateways do, some 50,000 of them in a second. The Redis user needs SCAN.

            EXAMPLES:
              fanfare tenant recount shop
            """)

    @OptionGroup var tenant: TenantArgument

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let configuration = try options.load()
        let (found, recount) = try await StoreAccess.changing(configuration, "tenant recount") { store, change in
            let found = try await tenant.find(in: store).tenant
            change.tenantID = found.id
            return (found, try await store.usage.recount(found.id, found.limits))
        }
        print(
            """
            tenant \(found.id) (\(found.name)) has \(recount.users) users and \(recount.devices) devices; counted were \
            \(recount.countedUsers) and \(recount.countedDevices)
            """)
    }
}
