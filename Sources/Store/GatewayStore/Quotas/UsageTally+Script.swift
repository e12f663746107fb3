import TimeCore

extension UsageTally.Answer {
    /// Parses the reply of `add-usage`.
    init(_ reply: Scripts.AddUsageReply) {
        users = reply.users
        devices = reply.devices
        newDevices = reply.fresh
        wait = .milliseconds(reply.wait)
        given = .init(users: reply.givenUsers, devices: reply.givenDevices)
        let limits = [TenantLimits.Limit.users, .devices, .newDevices]
        isShort = Set(limits.indices.filter { reply.short >> $0 & 1 == 1 }.map { limits[$0] })
        isRecountDue = reply.lost
        crossings = QuotaCrossing.all(reply.crossings)
    }
}
