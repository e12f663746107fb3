import Gateway
import GatewayAPI
import GatewayConfiguration
import GatewayStore
import Logging
import TimeCore

/// A command's change, for the audit log.
struct OperatorChange {
    /// The owner of the changed object; nil while unknown.
    var tenantID: String?
    /// An id or a name, or the new value of a setting.
    var object: String?
}

extension StoreAccess {
    /// Opens the store for a command that changes it. Writes an audit record on success, failure, SIGINT and SIGTERM.
    static func changing<Value>(
        _ configuration: GatewayConfiguration, _ action: String, for purpose: Purpose = .writing,
        _ body: (GatewayStore, inout OperatorChange) async throws -> Value
    ) async throws -> Value {
        try await with(configuration, for: purpose) { store in
            var change = OperatorChange()
            let result: Result<Value, any Error>
            do {
                result = .success(try await Interruption.noted { try await body(store, &change) })
            } catch {
                result = .failure(error)
            }
            let isDone = if case .success = result { true } else { false }
            var record = AuditRecord(
                time: .now(), tenantID: change.tenantID, actor: .operatorNamed(OperatorName.current), action: action,
                status: isDone ? 200 : 500)
            record.object = change.object
            record.host = MachineName.current
            await write(record, configuration)
            if let tenantID = change.tenantID {
                do {
                    _ = try await store.events.publishAudit(record.eventData, at: record.time, tenantID: tenantID)
                } catch {
                    StandardError.print("note: the event for the tenant was not published: \(error)")
                }
            }
            return try result.get()
        }
    }

    /// Writes an audit record of a change of the whole store, on success and failure. Publishes no event to tenants.
    static func audited<Value>(
        _ configuration: GatewayConfiguration, _ action: String, object: String, _ body: () async throws -> Value
    ) async throws -> Value {
        let result: Result<Value, any Error>
        do {
            result = .success(try await Interruption.noted { try await body() })
        } catch {
            result = .failure(error)
        }
        let isDone = if case .success = result { true } else { false }
        var record = AuditRecord(
            time: .now(), tenantID: nil, actor: .operatorNamed(OperatorName.current), action: action,
            status: isDone ? 200 : 500)
        record.object = object
        record.host = MachineName.current
        await write(record, configuration)
        return try result.get()
    }

    private static func write(_ record: AuditRecord, _ configuration: GatewayConfiguration) async {
        let text = record.text
        guard let path = configuration.audit.file else {
            return configuration.log.logger("fanfare").info("audit", metadata: ["record": .string(text)])
        }
        if let problem = await AuditFile(path: path).append(record.line) {
            StandardError.print(
                "warning: the audit log \(path) cannot be written (\(problem)); missing record: \(text)")
        }
    }
}
