import Reactor

/// Properties of a request that become known while it is answered, for the log and the audit log.
final class RequestMetadata: Sendable {
    struct Values: Sendable {
        var tenantID: String?
        /// The key's digest in the audit log; nil if unknown.
        var keyName: String?
        /// The contract's code of a refusal.
        var code: String?
        /// The share of memory that the request holds until it is answered.
        var memory: Share?
        /// The changed object, for the audit log.
        var object: String?
        /// The audit record; nil if the request changes nothing or has no answer yet.
        var change: AuditRecord?
        /// True if there was nothing to change, so the audit log has no record.
        var changesNothing = false
        /// True if the connection is closed after the answer.
        var endsConnection = false
    }

    private let locked = Locked(Values())

    var values: Values { locked.withLock { $0 } }

    func admitted(_ tenantID: String, keyName: String? = nil) {
        locked.withLock {
            $0.tenantID = tenantID
            $0.keyName = keyName
        }
    }

    func holds(_ memory: Share?) {
        locked.withLock { $0.memory = memory }
    }

    func changes(_ object: String) {
        locked.withLock { $0.object = object }
    }

    func noted(_ change: AuditRecord) {
        locked.withLock { $0.change = change }
    }

    func changesNothing() {
        locked.withLock { $0.changesNothing = true }
    }

    func endsConnection() {
        locked.withLock { $0.endsConnection = true }
    }

    func refused(_ error: APIError) {
        locked.withLock { $0.code = error.code.rawValue }
    }
}
