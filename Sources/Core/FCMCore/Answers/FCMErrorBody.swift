import LiveActivity

/// The JSON body of an answer other than 200 (Google: "REST error codes for the HTTP v1 API", and `google.rpc.Status`):
/// `{"error":{"status":"…","message":"…","details":[{"errorCode":"…"},{"fieldViolations":[…]},{"violations":[…]}]}}`.
///
/// The input is untrusted, may be truncated, and is often HTML. Unreadable parts are omitted without an error, because
/// the status alone decides the disposition.
public struct FCMErrorBody: Equatable, Sendable {
    /// The error's `status`: Google's canonical code, which many reasons share. Nil if none could be read.
    public private(set) var status: String?
    /// The first `errorCode` among the details, other than `UNSPECIFIED_ERROR`. Nil if none could be read.
    public private(set) var errorCode: String?
    /// True if a field violation or the message names the registration token as the cause.
    public private(set) var isAboutToken = false
    /// True if the exceeded quota belongs to one device.
    public private(set) var isDeviceQuota = false

    /// An empty body.
    public init() {}

    /// Parses the body as far as possible; never fails.
    public init(_ bytes: [UInt8]) {
        guard let error = try? JSONDocument(parsing: bytes).root.member("error") else { return }
        status = Self.word(error["status"])
        isAboutToken = Self.namesToken(error["message"])
        for detail in error.elements("details") { read(detail) }
    }

    private mutating func read(_ detail: JSONValue) {
        if errorCode == nil, let code = Self.word(detail["errorCode"]), code != "UNSPECIFIED_ERROR" { errorCode = code }
        for violation in detail.elements("fieldViolations")
        where violation["field"]?.string == "message.token" || Self.namesToken(violation["description"]) {
            isAboutToken = true
        }
        for violation in detail.elements("violations")
        where Self.says("device", violation["subject"]) || Self.says("device", violation["description"]) {
            isDeviceQuota = true
        }
    }

    /// Returns a text that is valid in a reply and a label: 1 to 64 capitals, digits and underscores.
    private static func word(_ value: JSONValue?) -> String? {
        guard let text = value?.string, (1...64).contains(text.utf8.count) else { return nil }
        let isWord = text.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
        return isWord ? text : nil
    }

    private static func namesToken(_ value: JSONValue?) -> Bool { says("registration token", value) }

    private static func says(_ words: String, _ value: JSONValue?) -> Bool {
        value?.string?.lowercased().contains(words) ?? false
    }
}

extension JSONValue {
    /// Returns nil also for a duplicate member, because it is ambiguous.
    fileprivate subscript(_ name: String) -> JSONValue? { try? member(name) }

    /// The elements of the named array; empty if the member is not an array.
    fileprivate func elements(_ name: String) -> [JSONValue] { self[name].map { Array($0.elements) } ?? [] }
}
