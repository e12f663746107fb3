import FCMCore
import Foundation
import TestSupport
import Testing

@Suite("The file of a service account") struct ServiceAccountTests {
    /// A made-up key.
    static let secret = "TW9yZVNlY3JldFRoYW5BbnlLZXk"
    private static let key = "-----BEGIN PRIVATE KEY-----\\n\(secret)\\n-----END PRIVATE KEY-----\\n"

    /// The members of a file as Google issues it. The values are JSON.
    private static let members = [
        ("type", #""service_account""#), ("project_id", #""shop-1234""#), ("private_key_id", #""0a1b2c""#),
        ("private_key", "\"\(key)\""), ("client_email", #""push@shop-1234.iam.gserviceaccount.com""#),
        ("client_id", #""118""#), ("auth_uri", #""https://accounts.google.com/o/oauth2/auth""#),
        ("token_uri", #""https://oauth2.googleapis.com/token""#), ("universe_domain", #""googleapis.com""#),
    ]

    /// Returns a file with changed members; nil removes a member.
    static func file(_ changes: [String: String?] = [:]) -> [UInt8] {
        let lines = members.compactMap { name, value -> String? in
            let value = changes[name, default: value]
            return value.map { "  \"\(name)\": \($0)" }
        }
        return Array("{\n\(lines.joined(separator: ",\n"))\n}\n".utf8)
    }

    private func error(_ file: [UInt8]) throws -> ServiceAccount.Invalid {
        try #require(throws: ServiceAccount.Invalid.self) { try ServiceAccount(file: file) }
    }

    @Test("All that is needed is read, and the key's line breaks are real ones")
    func whole() throws {
        let account = try ServiceAccount(file: [0xEF, 0xBB, 0xBF] + Self.file())
        #expect(account.projectID == "shop-1234" && account.privateKeyID == "0a1b2c")
        #expect(account.clientEmail == "push@shop-1234.iam.gserviceaccount.com")
        #expect(account.tokenURI == "https://oauth2.googleapis.com/token")
        #expect(account.privateKey == "-----BEGIN PRIVATE KEY-----\n\(Self.secret)\n-----END PRIVATE KEY-----\n")
        #expect(try ServiceAccount(file: Self.file(["private_key_id": nil])).privateKeyID == nil)
        #expect(
            try ServiceAccount(file: Self.file(["project_id": #""example.com:shop_1""#])).projectID
                == "example.com:shop_1")
    }

    @Test("A key whose lines end with CR LF is read")
    func carriageReturns() throws {
        let key = #""-----BEGIN PRIVATE KEY-----\r\nAAAA\r\n-----END PRIVATE KEY-----\r\n""#
        let account = try ServiceAccount(file: Self.file(["private_key": key]))
        #expect(account.privateKey == "-----BEGIN PRIVATE KEY-----\r\nAAAA\r\n-----END PRIVATE KEY-----\r\n")
    }

    @Test(
        "A member that is missing is named",
        arguments: ["type", "project_id", "private_key", "client_email", "token_uri"])
    func missing(_ name: String) throws {
        #expect(try error(Self.file([name: nil])) == .missing(name))
    }

    @Test(
        "A member that is wrong is named, with what it must be",
        arguments: [
            ("type", #""authorized_user""#), ("type", "7"), ("project_id", #""""#), ("project_id", #""a/../b""#),
            ("project_id", #""a b""#), ("project_id", "null"), ("client_email", #""nobody""#),
            ("client_email", #""a@b\u000d\u000aX: y""#), ("private_key_id", "3"), ("private_key_id", #""a\"b c""#),
            ("private_key", "[]"), ("private_key", #""""#), ("private_key", #""\#(secret)""#),
            ("private_key", "\"-----BEGIN RSA PRIVATE KEY-----\\n\(secret)\\n-----END RSA PRIVATE KEY-----\\n\""),
            ("private_key", "\"-----BEGIN PRIVATE KEY-----\\n\(secret)\""),
            ("private_key", "\"-----BEGIN PRIVATE KEY-----\\\\n\(secret)\\\\n-----END PRIVATE KEY-----\\\\n\""),
            (
                "private_key",
                "\"-----BEGIN ENCRYPTED PRIVATE KEY-----\\n\(secret)\\n-----END ENCRYPTED PRIVATE KEY-----\\n\""
            ),
            ("token_uri", #""http://oauth2.googleapis.com/token""#), ("token_uri", #""https://""#),
            ("token_uri", #""https:///token""#), ("token_uri", #""https://a b/""#), ("token_uri", #""https://u@h/""#),
            ("token_uri", #""https://h:0/""#), ("token_uri", "{}"),
        ])
    func wrong(_ name: String, _ value: String) throws {
        guard case .wrong(let member, let must) = try error(Self.file([name: value])) else {
            Issue.record("not called wrong")
            return
        }
        #expect(member == name && must.count > 10)
    }

    @Test("What is no file of Google's is told from one that lacks something")
    func noFile() throws {
        for text in ["", "not JSON", "{", "\u{FEFF}", #"{"type":"service_account","type":"x"}"#] {
            guard case .syntax = try error(Array(text.utf8)) else {
                Issue.record("\(text) is taken for JSON")
                continue
            }
        }
        for text in ["[]", "7", "\u{FEFF}[]"] { #expect(try error(Array(text.utf8)) == .noObject) }
    }

    @Test("An error names its member and says what to do")
    func advice() throws {
        let texts = try [
            error(Self.file(["token_uri": nil])), error(Self.file(["token_uri": "1"])), error([]), error([0x37]),
        ].map(\.description)
        #expect(texts[0].hasPrefix("\"token_uri\" is missing: ") && texts[1].hasPrefix("\"token_uri\" must be a URL"))
        for text in texts { #expect(text.contains("Generate new private key")) }
    }

    @Test("Wherever the key stands and whatever is wrong, no error and no description shows it")
    func secrecy() throws {
        func expectSecret(_ value: some Any, _ comment: Comment) {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains(Self.secret) && !text.contains("TW9y"), comment)
            }
        }
        expectSecret(try ServiceAccount(file: Self.file()), "account")
        for (name, _) in Self.members {
            for value in ["\"\(Self.key)\"", "\"\(Self.secret)\"", "[\"\(Self.key)\"]", "{\"\(Self.secret)\": 1}"] {
                do {
                    let account = try ServiceAccount(file: Self.file([name: value]))
                    // A text without breaks can be a valid project name.
                    if account.projectID != Self.secret { expectSecret(account, "\(name)") }
                } catch {
                    expectSecret(error, "\(name)")
                }
            }
        }
        var generator = TestSeed.generator(0x5A)
        let whole = Self.file()
        for _ in 0..<2_000 {
            var file = whole
            if Bool.random(using: &generator) { file.removeLast(Int.random(in: 0...file.count, using: &generator)) }
            for _ in 0..<3 where !file.isEmpty {
                let index = Int.random(in: 0..<file.count, using: &generator)
                file[index] = Array(#"{}[]":,\ x"#.utf8).randomElement(using: &generator) ?? 0
            }
            do {
                expectSecret(try ServiceAccount(file: file), "mutated")
            } catch {
                expectSecret(error, "mutated")
            }
        }
    }
}
