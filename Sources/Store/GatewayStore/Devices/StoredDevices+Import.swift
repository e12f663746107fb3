public import LiveActivity
import RedisClient
import TimeCore

extension StoredDevices {
    /// Begins an import of a tenant's devices.
    public func importing(_ tenantID: String, limits: TenantLimits = .standard) -> DeviceImport {
        DeviceImport(self, tenantID, limits)
    }

    /// Writes devices with their tokens, all at once: an import that has no more.
    public func importDevices(
        _ devices: [(key: DeviceKey, device: Device, token: [UInt8]?)], tenantID: String,
        limits: TenantLimits = .standard
    ) async throws(StoreError) {
        try await importing(tenantID, limits: limits).add(devices)
    }

    /// How many devices of an import are written between two looks at what the tenant may have.
    private static let importPiece = 2000

    /// Writes reports of an import, all of one tenant.
    func putImported(_ reports: [TokenReport]) async throws(StoreError) -> [PutDeviceReply] {
        guard let (tenantID, limits) = reports.first.map({ ($0.tenantID, $0.limits) }) else { return [] }
        var replies: [PutDeviceReply] = []
        replies.reserveCapacity(reports.count)
        for start in stride(from: 0, to: reports.count, by: StoredDevices.importPiece) {
            let (permit, refused) = usage.importPermit(tenantID, limits)
            let piece = try await values(
                count: min(StoredDevices.importPiece, reports.count - start),
                command: { self.putDeviceCommand(reports[start + $0], permit) }, read: { _, reply in reply.copy() })
            var made = Made.nothing
            for value in piece {
                var reply = PutDeviceReply(value)
                made.users += reply.made.users
                made.devices += reply.made.devices
                if reply.mayNotMakeDevice || reply.mayNotMakeUser {
                    reply.refusal = refused.map { refusal($0.limit, $0.wait) }
                }
                replies.append(reply)
            }
            usage.settle(.none, made, tenantID: tenantID, limits)
        }
        return replies
    }
}
