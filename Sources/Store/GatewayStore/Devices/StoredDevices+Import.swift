public import LiveActivity
import Reactor
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

    /// Writes devices of an import, all of one tenant.
    /// - Parameters:
    ///   - prepared: the devices of the reports; without these no users are made some at a time.
    ///   - makesUsers: whether many of the users are unknown, as far as the caller knows: they are made some at a time.
    ///     Afterwards whether most of them were.
    func putImported(
        _ reports: [TokenReport], _ prepared: PreparedDevices? = nil, makesUsers: inout Bool
    ) async throws(StoreError) -> [PutDeviceReply] {
        guard let (tenantID, limits) = reports.first.map({ ($0.tenantID, $0.limits) }) else { return [] }
        var replies = [PutDeviceReply](repeating: PutDeviceReply(.integer(0)), count: reports.count)
        let isSingle = await isSingleServer()
        for start in stride(from: 0, to: reports.count, by: StoredDevices.importPiece) {
            let piece = start..<min(start + StoredDevices.importPiece, reports.count)
            let (permit, refused) = usage.importPermit(tenantID, limits)
            var left = Array(piece)
            var made = Made.nothing
            if makesUsers, let prepared, isSingle, permit == .any, limits[.devicesPerUser] > 0 {
                left = try await makeUsers(prepared, piece)
                made = Made(users: piece.count - left.count, devices: piece.count - left.count)
                var position = 0
                for place in piece {
                    if position < left.count, left[position] == place {
                        position += 1
                    } else {
                        replies[place] = .madeUser
                    }
                }
            }
            let others = try await values(
                count: left.count, command: { [left] in self.putDeviceCommand(reports[left[$0]], permit) },
                read: { _, reply in reply.copy() })
            for (place, value) in zip(left, others) {
                var reply = PutDeviceReply(value)
                made.users += reply.made.users
                made.devices += reply.made.devices
                if reply.mayNotMakeDevice || reply.mayNotMakeUser {
                    reply.refusal = refused.map { refusal($0.limit, $0.wait) }
                }
                replies[place] = reply
            }
            makesUsers = 2 * made.users > piece.count
            usage.settle(.none, made, tenantID: tenantID, limits)
        }
        return replies
    }

    /// A cluster has the users on several nodes; so as long as nobody knows what the server is.
    private func isSingleServer() async -> Bool {
        await redis.reactor.call(stopped: false) { $0(self.redis.keepsOrderAcrossKeys) }
    }

    /// How many users one call makes: some tens of microseconds of Redis's.
    private static let usersInCall = 16
    /// How many of these calls are in its hands.
    private static let callsInWindow = 8

    /// Makes users who are not known with the device of each.
    /// - Returns: the places of the others, in ascending order.
    private func makeUsers(_ devices: PreparedDevices, _ piece: Range<Int>) async throws(StoreError) -> [Int] {
        let size = StoredDevices.usersInCall
        let calls = (piece.count + size - 1) / size
        let left = try await values(
            count: calls, window: StoredDevices.callsInWindow,
            command: { call in
                let first = piece.lowerBound + call * size
                return devices.makeUsers(first..<min(first + size, piece.upperBound))
            },
            read: { call, reply -> [Int] in
                reply.elements.dropFirst().compactMap { place in
                    place.integer.map { piece.lowerBound + call * size + Int($0) }
                }
            })
        return left.flatMap(\.self)
    }
}
