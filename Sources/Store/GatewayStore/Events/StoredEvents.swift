/// Events that a tenant is told of, in its stream and at its webhooks.
public final class StoredEvents: StoreFeature {
    let context: StoreContext
    let devices: StoredDevices
    let switches = EventSwitches()

    init(_ context: StoreContext, devices: StoredDevices) {
        self.context = context
        self.devices = devices
    }
}
