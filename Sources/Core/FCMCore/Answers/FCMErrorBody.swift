import LiveActivity

/// Reads the JSON body of an answer other than 200 (Google: "REST error codes for the HTTP v1 API", and
/// `google.rpc.Status`):
/// `{"error":{"status":"…","message":"…","details":[{"errorCode":"…"},{"fieldViolations":[…]},{"violations":[…]}]}}`.
///
/// Bytes come from outside and may be anything, also cut short, and often a page of HTML. Whatever cannot be read is
/// left out; it is never an error, because the status alone tells enough.
public struct FCMErrorBody: Equatable, Sendable {
    /// The error's `status`: Google's canonical code, which many reasons share. Nil when there is none that can be
    /// read.
    public private(set) var status: String?
    /// The first `errorCode` among the details: FCM's own word. Nil when there is none that can be read, and when it is
    /// the one that says nothing.
    public private(set) var errorCode: String?
    /// Whether the request was refused for its registration token, by a field violation or by what the message says.
    public private(set) var isAboutToken = false
    /// Whether a quota was exceeded that belongs to one device.
    public private(set) var isDeviceQuota = false

    /// Nothing was said.
    public init() {}

    /// Reads what can be read; never fails.
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

    /// A text that may stand in a reply and a label: 1 to 64 capitals, digits and underscores.
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
    /// Nil also when the object has the member twice: nobody can say which one is meant.
    fileprivate subscript(_ name: String) -> JSONValue? { try? member(name) }

    /// The elements of the member with this name; none when it is no array.
    fileprivate func elements(_ name: String) -> [JSONValue] { self[name].map { Array($0.elements) } ?? [] }
}
