import MetricsCore

extension MetricPage {
    /// Adds the results of audit records.
    mutating func add(_ audit: AuditLog.Counts) {
        counter("fanfare_audit_records_total", "Audit records by result.") {
            $0.add(audit.written, ["result": "written"])
            $0.add(audit.failed, ["result": "failed"])
            $0.add(audit.dropped, ["result": "dropped"])
        }
        counter("fanfare_audit_events_total", "Audit events for tenants by result.") {
            $0.add(audit.published, ["result": "published"])
            $0.add(audit.unpublished, ["result": "dropped"])
        }
    }
}
