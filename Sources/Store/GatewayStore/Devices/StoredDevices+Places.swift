public import LiveActivity

extension StoredDevices {
    /// Returns the devices of a user that are in an activity.
    public func devices(
        of insiderID: String, in activity: UniqueID, tenantID: String
    ) async throws(StoreError) -> [DeviceKey] {
        guard let user = try await user(insiderID, tenantID: tenantID), let membership = user.membership(in: activity)
        else { return [] }
        return user.devices.filter { membership.slot(device: $0.number) != nil }
            .map { DeviceKey(insiderID: insiderID, udid: $0.udid) }
    }
}
