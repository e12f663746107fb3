import ArgumentParser
import GatewayStore

struct TenantRecountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recount",
        abstract: "Recounts a tenant's users and devices.",
        discussion: """
            Counts can be wrong only after a gateway was killed. Another gateway then recounts by itself; this command \
            does so at once. It scans the keys of all tenants, about 50,000 a second, while gateways run. The Redis \
            user of both needs the right SCAN.

            EXAMPLES:
              fanfare tenant recount shop
            """)

    @OptionGroup var tenant: TenantArgument

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let configuration = try options.load()
        let (found, recount) = try await StoreAccess.changing(configuration, "tenant recount") { store, change in
            let found = try await tenant.find(in: store, noting: &change).tenant
            do {
                return (found, try await store.usage.recount(found.id, found.limits))
            } catch let error as StoreError where error.isMissingRight {
                throw CommandFailure(
                    "\(error); grant the Redis user +scan besides the gateways' rights, in a cluster on all masters")
            }
        }
        print(
            """
            tenant \(found.id) (\(found.name)) has \(recount.users) users and \(recount.devices) devices; the counts \
            were \(recount.countedUsers) and \(recount.countedDevices)
            """)
    }
}
