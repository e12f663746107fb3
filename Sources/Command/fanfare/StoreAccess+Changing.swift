import Gateway
import GatewayAPI
import GatewayConfiguration
import GatewayStore
import Logging
import TimeCore

/// What a command changes, for the audit log.
struct OperatorChange {
    /// Whose it is; nil while that is not known.
    var tenantID: String?
    /// An id or a name; where something is set, its new value.
    var object: String?
}

extension StoreAccess {
    /// As `with`, for a command that changes something: it is written into the audit log, whatever comes of
    /// it, SIGINT and SIGTERM as well.
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

    /// Notes a change of the store as a whole in the audit log, whatever comes of it; no tenant is told.
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
