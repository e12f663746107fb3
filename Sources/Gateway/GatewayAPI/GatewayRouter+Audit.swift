import Encodings
import HTTPTypes
import Hummingbird
import LiveActivity
import TimeCore

// The audit log contains each change whose key was accepted, and each erasure.
extension GatewayRouter {
    func noteChange(_ request: Request, _ context: GatewayContext, _ response: Response) {
        guard let endpoint = context.endpoint, endpoint.isAudited else { return }
        let noted = context.metadata.values
        guard let tenantID = noted.tenantID, !noted.changesNothing else { return }
        let isCustomers = endpoint.credential == .apiKey
        let name =
            noted.keyName
            ?? AuditRecord.keyName(
                request.headers[isCustomers ? .apiKey : .sdkKey] ?? BearerToken.key(request.headers[.authorization])
                    ?? "")
        let actor: AuditRecord.Actor =
            if case .operatorNamed(let name, _) = context.signedIn {
                .operatorNamed(name)
            } else {
                isCustomers ? .apiKey(name) : .sdkKey(name)
            }
        var record = AuditRecord(
            time: clock(), tenantID: tenantID, actor: actor,
            action: "\(endpoint.method) \(endpoint.path)", status: Int(response.status.code))
        record.object = noted.object.flatMap { $0.utf8.count <= AuditRecord.longestObject ? $0 : nil }
        record.address = context.clientAddress?.description
        record.code = noted.code
        record.requestID = context.requestID
        context.metadata.noted(record)
        audit.record(record)
    }

    /// Records the object of a request: by its path, or by the id in its body or answer.
    func noteObject(
        _ context: GatewayContext, body: JSONValue? = nil, device: DeviceKey? = nil, reply: Reply? = nil
    ) {
        guard context.endpoint?.isAudited == true else { return }
        let metadata = context.metadata
        if let device {
            return metadata.changes([device.insiderID, device.udid].map(AuditRecord.pseudonym).joined(separator: "/"))
        }
        let parameters = context.pathParameters.mapValues { PathParameter.unescaped($0) ?? "" }
        if let insiderID = parameters["insider_id"] {
            let names = [insiderID, parameters["udid"]].compactMap { $0 }
            return metadata.changes(names.map(AuditRecord.pseudonym).joined(separator: "/"))
        }
        if let name = parameters.sorted(by: { $0.key < $1.key }).first?.value { return metadata.changes(name) }
        if let name = GatewayRouter.object(body, ["activity_id", "schedule_id"]) { return metadata.changes(name) }
        guard let reply, (200..<300).contains(reply.status.code), reply.body.count <= GatewayRouter.longestReply,
            let root = try? JSONDocument(parsing: reply.body).root
        else { return }
        if let name = GatewayRouter.object(root, ["activity_id", "id"]) { metadata.changes(name) }
    }

    /// The longest answer, in bytes, that is parsed for an id.
    private static let longestReply = 65_536

    /// The id in the first of these members that has one.
    private static func object(_ value: JSONValue?, _ names: [String]) -> String? {
        for name in names {
            guard let text = (try? value?.member(name))??.string, let id = UniqueID(text) else { continue }
            return id.description
        }
        return nil
    }
}

extension Endpoint {
    /// True if the audit log records requests to this endpoint.
    var isAudited: Bool {
        switch handler {
        case .action, .command, .upload: true
        case .device: method == .delete
        case .query, .stream, .deviceQuery, .report, .open: false
        }
    }
}
