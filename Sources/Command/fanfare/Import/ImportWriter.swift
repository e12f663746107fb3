import GatewayStore
import LiveActivity

/// Writes the batches of an import in order, each while the next one is read. Only the reading task may call it.
final class ImportWriter {
    private let store: GatewayStore
    private let devices: DeviceImport
    private var writing: Task<Void, any Error>?

    init(_ store: GatewayStore, _ tenant: Tenant) {
        self.store = store
        devices = store.devices.importing(tenant.id, limits: tenant.limits)
    }

    func batch(capacity: Int) -> DeviceBatch { devices.batch(capacity: capacity) }

    /// Starts writing a batch after the previous one has ended. Throws the previous one's error.
    func write(_ batch: consuming DeviceBatch) async throws {
        let prepared = batch.prepared()
        try await finish()
        writing = Task { [store, devices] in
            try await devices.add(prepared)
            // Flushed after each batch, so that a killed import leaves at most one batch uncounted.
            await store.usage.flush()
        }
    }

    /// Waits until everything is written. Throws the last batch's error.
    func finish() async throws {
        defer { writing = nil }
        try await writing?.value
    }

    /// Waits until everything is written, and ignores errors.
    func settle() async {
        _ = await writing?.result
    }
}
