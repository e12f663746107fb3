import Encodings
public import LiveActivity

extension ServiceAccount {
    /// The reason why a file is unusable, with advice. It contains names of members but no values, because an edited
    /// file may have the key anywhere.
    public enum Invalid: Error, Equatable, Sendable, CustomStringConvertible {
        /// Invalid JSON, or a required member occurs twice.
        case syntax(JSONSyntaxError)
        /// The JSON value is not an object.
        case noObject
        /// The file lacks this member.
        case missing(String)
        /// The member's value is invalid, with the requirement.
        case wrong(String, must: String)

        private static let advice =
            "use the file as Google issues it (Firebase console: Project settings, Service accounts, Generate new private key)"

        public var description: String {
            switch self {
            case .syntax(let error): "the file is not valid JSON (\(error)): \(Self.advice)"
            case .noObject: "the file is not a JSON object: \(Self.advice)"
            case .missing(let member): "\"\(member)\" is missing: \(Self.advice)"
            case .wrong(let member, let must): "\"\(member)\" must \(must): \(Self.advice)"
            }
        }
    }

    /// Parses the file of a service account's key. Other members are ignored.
    public init(file: [UInt8]) throws(Invalid) {
        let reader = try Reader(file)
        _ = try reader.text("type", must: "be \"service_account\"; other credentials cannot send messages") {
            $0 == "service_account"
        }
        projectID = try reader.text("project_id", must: "have 1 to 128 letters, digits and the characters - . : _") {
            (1...128).contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isOfProjectID)
        }
        clientEmail = try reader.text("client_email", must: "be an address of 3 to 320 visible ASCII characters") {
            (3...320).contains($0.utf8.count) && Self.isVisible($0) && $0.contains("@")
        }
        privateKey = try reader.privateKey()
        privateKeyID =
            try reader.isThere("private_key_id")
            ? reader.text("private_key_id", must: "have 1 to 128 visible ASCII characters") {
                (1...128).contains($0.utf8.count) && Self.isVisible($0)
            } : nil
        tokenURI = try reader.text(
            "token_uri", must: "be a URL with https and a host, such as https://oauth2.googleapis.com/token",
            when: Self.isSecureURL)
    }

    private static func isOfProjectID(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func isVisible(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private static func isSecureURL(_ text: String) -> Bool {
        let scheme = "https://"
        guard text.utf8.count <= 2_048, isVisible(text), text.lowercased().hasPrefix(scheme) else { return false }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return !authority.contains("@") && (try? Authority(authority)) != nil
    }

    private struct Reader {
        let root: JSONValue

        init(_ file: [UInt8]) throws(Invalid) {
            do {
                root = try JSONDocument(parsing: file).root
            } catch {
                throw .syntax(error)
            }
            guard root.kind == .object else { throw .noObject }
        }

        private func member(_ name: String) throws(Invalid) -> JSONValue? {
            do {
                return try root.member(name)
            } catch {
                throw .syntax(error)
            }
        }

        func isThere(_ name: String) throws(Invalid) -> Bool { try member(name) != nil }

        func text(_ name: String, must: String, when isFit: (String) -> Bool) throws(Invalid) -> String {
            guard let value = try member(name) else { throw .missing(name) }
            guard let text = value.string, isFit(text) else { throw .wrong(name, must: must) }
            return text
        }

        func privateKey() throws(Invalid) -> String {
            let name = "private_key"
            let text = try text(name, must: "be the text of a key") { !$0.isEmpty }
            if text.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----") {
                throw .wrong(name, must: "not be encrypted with a passphrase")
            }
            guard text.contains("-----BEGIN PRIVATE KEY-----"), text.contains("-----END PRIVATE KEY-----") else {
                throw .wrong(name, must: "be a whole PKCS#8 private key in PEM form")
            }
            // CR LF is a single `Character`, so the bytes are searched.
            guard text.utf8.contains(UInt8(ascii: "\n")), !text.utf8.contains(UInt8(ascii: "\\")) else {
                throw .wrong(name, must: "have its line breaks as \\n, escaped once and not twice")
            }
            return text
        }
    }
}
