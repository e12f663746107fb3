import Reactor

/// What becomes known of a request while it is answered, for its line in the log and in the audit log.
final class RequestMetadata: Sendable {
    struct Values: Sendable {
        var tenantID: String?
        /// What stands for the key in the audit log; nil when it is not known.
        var keyName: String?
        /// The contract's code of a refusal.
        var code: String?
        /// What the request holds of memory until it is answered.
        var memory: Share?
        /// What is changed, for the audit log.
        var object: String?
        /// What the audit log has of it; nil when it changes nothing, or is not answered yet.
        var change: AuditRecord?
        /// Whether there was nothing to change, which the audit log passes over.
        var changesNothing = false
        /// Whether the connection is closed behind the answer.
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
