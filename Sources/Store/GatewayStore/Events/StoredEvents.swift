/// The events of tenants, in their streams and for their webhooks.
public final class StoredEvents: StoreFeature {
    let context: StoreContext
    let devices: StoredDevices
    let switches = EventSwitches()

    init(_ context: StoreContext, devices: StoredDevices) {
        self.context = context
        self.devices = devices
    }
}
