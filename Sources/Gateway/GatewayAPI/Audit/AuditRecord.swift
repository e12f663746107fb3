import Encodings
import LiveActivity
import Secrets
public import TimeCore

/// That somebody has changed something, or tried to: who, what, when and from where. It has no content, no token and no
/// name of a user.
public struct AuditRecord: Sendable {
    /// Who it was.
    public enum Actor: Sendable {
        /// A customer, by the first digits of the SHA-256 of the API key.
        case apiKey(String)
        /// An app, likewise by its SDK key.
        case sdkKey(String)
        /// Who ran a command, by the name of the user on that machine, or who signed in at the console, by the
        /// operator's.
        case operatorNamed(String)

        /// What kind of actor it is, and how it is told from others of the kind.
        var parts: (kind: String, name: String) {
            switch self {
            case .apiKey(let hash): ("api_key", hash)
            case .sdkKey(let hash): ("sdk_key", hash)
            case .operatorNamed(let name): ("operator", name)
            }
        }
    }

    /// When it was answered.
    public var time: WallTime
    /// Whose it is that was changed; nil for none.
    public var tenantID: String?
    /// Who asked for it.
    public var actor: Actor
    /// Method and path as the API's description has them, or the command.
    public var action: String
    /// What was changed: an id or a name; for a command that sets something, its new value. Of users and devices
    /// digests of their names, see `pseudonym`.
    public var object: String?
    /// Where the request came from; nil for a command.
    public var address: String?
    /// The machine on which a command ran; nil for a request.
    public var host: String?
    /// The status of the answer; of a command 200, or 500 when it has failed.
    public var status: Int
    /// The contract's code of a refusal.
    public var code: String?
    /// The request's `X-Request-Id`.
    public var requestID: String?

    public init(time: WallTime, tenantID: String?, actor: Actor, action: String, status: Int) {
        self.time = time
        self.tenantID = tenantID
        self.actor = actor
        self.action = action
        self.status = status
    }

    /// The longest name of an object that is written, in UTF-8 bytes.
    static let longestObject = 400

    /// What stands for a user's or device's name: the same for the same name, so that who knows the name finds the
    /// record.
    public static func pseudonym(_ name: String) -> String {
        "sha256:" + Hexadecimal.encode(Array(Digest.sha256(Array(name.utf8)).prefix(8)))
    }

    /// What stands for a key: the first digits of its SHA-256.
    static func keyName(_ key: String) -> String { String(Secret.hexHash(key).prefix(8)) }

    /// A line of the audit log.
    public var line: [UInt8] {
        var line = json
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// The line without its end, as a text.
    public var text: String { String(decoding: json, as: UTF8.self) }

    private var json: [UInt8] {
        JSONWriter.object {
            $0.field("time", time.rfc3339)
            $0.field("tenant_id", tenantID)
            // Not in the tenant's event: it is the operators' machine.
            $0.field("host", host)
            write(to: &$0)
        }
    }

    /// The `data` of the event that tells the tenant of it.
    public var eventData: [UInt8] { JSONWriter.object { write(to: &$0) } }

    private func write(to writer: inout JSONObjectWriter) {
        let actor = actor.parts
        writer.field("actor_kind", actor.kind)
        writer.field("actor", actor.name)
        writer.field("action", action)
        writer.field("object", object)
        writer.field("address", address)
        writer.field("status", status)
        writer.field("code", code)
        writer.field("request_id", requestID)
    }
}

/// Takes records of the audit log. It never makes anybody wait.
public protocol AuditSink: Sendable {
    /// From any thread.
    func record(_ record: AuditRecord)
}

/// Keeps nothing.
public struct NoAudit: AuditSink {
    public init() {}

    /// Does nothing.
    public func record(_ record: AuditRecord) {}
}
