import Encodings
import LiveActivity
import Secrets
public import TimeCore

/// A change, or an attempt at one: its actor, action, time and origin. It contains no content, token or user's name.
public struct AuditRecord: Sendable {
    /// The author of a change.
    public enum Actor: Sendable {
        /// A customer, by the first digits of the SHA-256 of the API key.
        case apiKey(String)
        /// An app, by the first digits of the SHA-256 of its SDK key.
        case sdkKey(String)
        /// A person: the system user who ran a command, or the operator who is signed in at the console.
        case operatorNamed(String)

        /// The kind of actor, and the name that identifies it within the kind.
        var parts: (kind: String, name: String) {
            switch self {
            case .apiKey(let hash): ("api_key", hash)
            case .sdkKey(let hash): ("sdk_key", hash)
            case .operatorNamed(let name): ("operator", name)
            }
        }
    }

    /// The time of the answer.
    public var time: WallTime
    /// The tenant of the changed object; nil for none.
    public var tenantID: String?
    /// The author of the change.
    public var actor: Actor
    /// The method and path as in the API's description, or the command.
    public var action: String
    /// The id or name of the changed object, or a command's new value. See `pseudonym` for users and devices.
    public var object: String?
    /// The address of the client; nil for a command.
    public var address: String?
    /// The machine on which a command ran; nil for a request.
    public var host: String?
    /// The status of the answer. A command has 200, or 500 if it failed.
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

    /// The digest that replaces a user's or device's name. Equal names have equal digests.
    public static func pseudonym(_ name: String) -> String {
        "sha256:" + Hexadecimal.encode(Array(Digest.sha256(Array(name.utf8)).prefix(8)))
    }

    /// The digest that replaces a key: the first digits of its SHA-256.
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
            // Not part of the tenant's event, because the machine is an operator's.
            $0.field("host", host)
            write(to: &$0)
        }
    }

    /// The `data` of the tenant's event about this change.
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

/// A receiver of audit records. It never blocks its caller.
public protocol AuditSink: Sendable {
    /// Records a change. From any thread.
    func record(_ record: AuditRecord)
}

/// An audit sink that discards all records.
public struct NoAudit: AuditSink {
    public init() {}

    /// Does nothing.
    public func record(_ record: AuditRecord) {}
}
