import RedisClient
import Synchronization

/// The layout of the store: a number that the first gateway writes into an empty store.
public final class StoredLayout: StoreFeature {
    /// The only layout that this version reads and writes.
    public static let supported: Int64 = 3

    let context: StoreContext

    init(_ context: StoreContext) {
        self.context = context
    }

    /// Checks the number in the store. Writes it if the store is empty.
    /// - Throws: `StoreError.unsupportedLayout` if the store has another number, or tenants and no number.
    public func settle() async throws(StoreError) {
        if try await read() { return }
        // NX lets only the first of several gateways write the number.
        _ = try await value(RedisCommand("SET", Keys.layout, StoredLayout.supported, "NX"))
        try check(try await value(RedisCommand("GET", Keys.layout)))
    }

    /// Checks the number in the store. Writes nothing.
    /// - Returns: false if the store is empty.
    /// - Throws: see `settle`.
    public func read() async throws(StoreError) -> Bool {
        var number = try await value(RedisCommand("GET", Keys.layout))
        if number.isNull {
            guard try await value(RedisCommand("EXISTS", Keys.tenants)).int == 1 else { return false }
            // Another gateway may have written the number and a tenant since the first reply.
            number = try await value(RedisCommand("GET", Keys.layout))
        }
        try check(number)
        return true
    }

    private func check(_ reply: RedisValue) throws(StoreError) {
        let isSupported = reply.int == StoredLayout.supported
        context.hasUnsupportedLayout.store(!isSupported, ordering: .relaxed)
        guard isSupported else { throw .unsupportedLayout(reply.int) }
    }
}

extension Keys {
    /// The number of the layout.
    static let layout = "fanfare:layout"
}
