import GatewayStore
import LiveActivity

/// Writes batches of an import one after the other, so that the next one can be read meanwhile.
/// Whoever reads is the only one who calls it.
final class ImportWriter {
    private let store: GatewayStore
    private let devices: DeviceImport
    private var writing: Task<Void, any Error>?

    init(_ store: GatewayStore, _ tenant: Tenant) {
        self.store = store
        devices = store.devices.importing(tenant.id, limits: tenant.limits)
    }

    /// A batch to be filled.
    func batch(capacity: Int) -> DeviceBatch { devices.batch(capacity: capacity) }

    /// Returns when the batch before is written; throws what became of that.
    func write(_ batch: consuming DeviceBatch) async throws {
        let prepared = batch.prepared()
        try await finish()
        writing = Task { [store, devices] in
            try await devices.add(prepared)
            // Whoever is killed leaves no more than a batch uncounted.
            await store.usage.flush()
        }
    }

    /// Returns when everything is written.
    func finish() async throws {
        defer { writing = nil }
        try await writing?.value
    }

    /// Likewise, whatever became of it.
    func settle() async {
        _ = await writing?.result
    }
}
