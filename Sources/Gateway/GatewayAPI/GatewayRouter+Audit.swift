import Encodings
import HTTPTypes
import Hummingbird
import LiveActivity
import TimeCore

// What goes into the audit log: every change that a key asked for which opened the request, and every erasure.
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

    /// Notes what a request changes, by its path, or what its body or its answer calls it.
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

    /// A longer answer is not looked into for an id.
    private static let longestReply = 65_536

    /// An id that a text names.
    private static func object(_ value: JSONValue?, _ names: [String]) -> String? {
        for name in names {
            guard let text = (try? value?.member(name))??.string, let id = UniqueID(text) else { continue }
            return id.description
        }
        return nil
    }
}

extension Endpoint {
    /// Whether it is written down who asked for it.
    var isAudited: Bool {
        switch handler {
        case .action, .command, .upload: true
        case .device: method == .delete
        case .query, .stream, .deviceQuery, .report, .open: false
        }
    }
}
