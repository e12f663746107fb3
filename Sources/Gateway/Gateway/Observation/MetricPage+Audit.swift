import MetricsCore

extension MetricPage {
    /// What became of the records of the audit log.
    mutating func add(_ audit: AuditLog.Counts) {
        counter("fanfare_audit_records_total", "Changes that the audit log was told of, by what became of the record.")
        {
            $0.add(audit.written, ["result": "written"])
            $0.add(audit.failed, ["result": "failed"])
            $0.add(audit.dropped, ["result": "dropped"])
        }
        counter("fanfare_audit_events_total", "Changes that tenants are told of as events, by what became of these.") {
            $0.add(audit.published, ["result": "published"])
            $0.add(audit.unpublished, ["result": "dropped"])
        }
    }
}
