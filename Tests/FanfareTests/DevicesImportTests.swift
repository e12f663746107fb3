import Foundation
import TestSupport
import Testing

@Suite("Importing what other systems export")
struct DevicesImportTests {
    private static let map = """
        columns: {insider_id: External ID, udid: Subscription, token: Token, platform: Type, push_opt_in: Opted in, os_version: OS}
        values: {environment: production, gdpr_consent: true, os_version: "17.2"}
        translate: {platform: {"0": ios, "1": android}}
        delimiter: ";"
        """

    private static func hex(_ byte: String) -> String { String(repeating: byte, count: 32) }

    /// Six records, of which two are good, one is repeated and three are refused.
    private static let export = #"""
        \#u{FEFF}External ID;Subscription;Token;Type;Opted in;OS;Tags
        ann;phone-1;\#(hex("ab"));0;Yes;18.1;"vip;
        ""late"""
        "bob; the second";phone-2;fcm:\#(hex("cd"));1;0;;
        ann;phone-1;\#(hex("ef"));iOS;true;18.1;

        cat;phone-3;nothing;0;yes;18.1;
        dan;phone-4;;2;yes;18.1;
        eve;phone-5;;0;yes
        """#

    private func prepared(_ body: (CommandLine) async throws -> Void) async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        for (name, text) in [("map.yaml", Self.map), ("export.csv", Self.export + "\n")] {
            try text.write(to: commands.folder.appending(path: name), atomically: true, encoding: .utf8)
        }
        try await body(commands)
    }

    @Test("A dry run asks no store, and says what would be imported, what would be refused, and why")
    func dryRun() async throws {
        try await prepared { commands in
            let plain = try await commands.run("devices", "import", "export.csv", "--map", "map.yaml", "--dry-run")
            #expect(plain.status == 1, "\(plain.errors)")
            for line in [
                "export.csv: 6 records, nothing was written",
                "devices   3: android 1, ios 2; production 3", "tokens    3 with a token",
                "repeated  1 records replace an earlier record of the same device; 0 move",
                "refused   3 records", "1 x the record has 5 cells, but the header has 7 columns: line 9",
                "unused    the columns Tags",
            ] {
                #expect(plain.output.contains(line), "\(line)\n\(plain.output)")
            }
            #expect(!FileManager.default.fileExists(atPath: commands.folder.appending(path: "data").path))
            let json = try await commands.run(
                "devices", "import", "export.csv", "--map", "map.yaml", "--dry-run", "--json", "--skip-refused")
            #expect(json.status == 0 && json.errors.isEmpty, "\(json.errors)")
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
            #expect(object["devices"] as? Int == 3 && object["refused"] as? Int == 3)
            #expect(object["unused_columns"] as? [String] == ["Tags"] && object["repeated_devices"] as? Int == 1)
            let lines = (object["reasons"] as? [[String: Any]])?.compactMap { ($0["lines"] as? [Int])?.first }
            #expect(lines?.sorted() == [7, 8, 9], "\(json.output)")
        }
    }

    @Test("An import stops at the first record that is refused, or passes over them and says which")
    func imported() async throws {
        try await prepared { commands in
            let (redis, environment) = try await commands.startRedis()
            defer { redis.end() }
            func run(_ words: String...) async throws -> CommandLine.Result {
                try await commands.start(words, environment: environment).ended()
            }
            let created = try await run("tenant", "create", "shop", "--json")
            let id = try #require(created.output.split(separator: "\"").dropFirst(3).first.map(String.init))
            let stopped = try await run("devices", "import", "export.csv", "--map", "map.yaml", "--tenant", "shop")
            #expect(stopped.status == 1, "\(stopped.output)")
            #expect(stopped.errors.contains("export.csv, line 7: "), "\(stopped.errors)")
            let done = try await run(
                "devices", "import", "export.csv", "--map", "map.yaml", "--tenant", "shop", "--skip-refused", "--json")
            #expect(
                done.status == 0 && done.output.contains(#"{"imported":3,"refused":3"#), "\(done.output)\(done.errors)")
            let socket = commands.folder.appending(path: "redis.sock").path
            let counted = try Program.run(
                "/usr/bin/env", "redis-cli", "-s", socket, "HGET", "fanfare:{t:\(id)}:use", "devices")
            #expect(counted.output == "2\n", "\(counted.output)")
        }
    }

    @Test(
        "A map that does not fit is refused with what was meant",
        arguments: [
            (
                "columns: {insider_id: External Ids}",
                #"the column "External Ids" does not exist; did you mean "External ID"?"#
            ),
            (
                "columns: {insiderid: External ID}",
                "the device field insiderid does not exist; did you mean insider_id?"
            ),
            ("colums: {}", "colums is unknown; did you mean columns?"),
            ("delimiter: ab", "delimiter must be one character"),
            ("values: {platform: ios}", "the column insider_id is missing"), ("- a", "must be a mapping"),
            ("a: [", "is not valid YAML"),
            ("", "the file is empty"), ("columns: {insider_id: [a]}", "insider_id must have one value"),
        ])
    func maps(map: String, reason: String) async throws {
        try await prepared { commands in
            try (map + (map.hasPrefix("columns") || map.hasPrefix("values") ? "\ndelimiter: ';'" : ""))
                .write(to: commands.folder.appending(path: "map.yaml"), atomically: true, encoding: .utf8)
            let result = try await commands.run("devices", "import", "export.csv", "--map", "map.yaml", "--dry-run")
            #expect(result.status == 1 && result.errors.contains(reason), "\(result.errors)")
        }
    }

    @Test("The separator is recognised from the first record, and names of columns count in any case")
    func recognised() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        for (file, text) in [
            ("semicolon.csv", "\u{FEFF}UDID; Insider_ID ;Platform\r\nphone-1;ann;iOS\r\n;;\r\n"),
            ("tab.csv", "sep=\t\nudid\tinsider_id\tplatform\nphone-1\tann\tios\n"),
            ("bar.csv", "udid|insider_id|platform\nphone-1|ann|ios\n"),
            ("comma.csv", "\"udid\",\"insider_id\",\"platform\"\n\"phone;1\",\"ann\",\"ios\"\n"),
        ] {
            try text.write(to: commands.folder.appending(path: file), atomically: true, encoding: .utf8)
            try """
            values: {environment: production, os_version: "18.1", push_opt_in: true, gdpr_consent: true}
            """.write(to: commands.folder.appending(path: "map.yaml"), atomically: true, encoding: .utf8)
            let result = try await commands.run("devices", "import", file, "--map", "map.yaml", "--dry-run", "--json")
            #expect(result.status == 0 && result.output.contains(#""devices":1,"#), "\(file): \(result)")
        }
    }

    @Test("A byte order mark before lines of JSON is skipped")
    func byteOrderMark() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let line = #"""
            {"insider_id":"ann","udid":"phone-1","platform":"ios","os_version":"18.1","push_opt_in":true,\#
            "gdpr_consent":true,"environment":"production"}
            """#
        try ("\u{FEFF}" + line).write(
            to: commands.folder.appending(path: "phones.ndjson"), atomically: true, encoding: .utf8)
        let result = try await commands.run("devices", "import", "phones.ndjson", "--dry-run", "--json")
        #expect(result.status == 0 && result.output.contains(#""devices":1,"#), "\(result)")
    }

    @Test(
        "A file that is no CSV is refused with the line",
        arguments: [
            ("", "the first line with the column names is missing"),
            ("insider_id,insider_id\n", "two columns are named"),
            ("insider\"id\na\n", "file.csv: line 1: an unquoted field contains a quote"),
            (
                "insider_id\n\(String(repeating: "x", count: 1_400_000))\n",
                "file.csv, line 2: the line is longer than 1048576 bytes"
            ),
        ])
    func broken(text: String, reason: String) async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        try text.write(to: commands.folder.appending(path: "file.csv"), atomically: true, encoding: .utf8)
        let result = try await commands.run("devices", "import", "file.csv", "--dry-run")
        #expect(result.status == 1 && result.errors.contains(reason), "\(result.errors)")
    }

    @Test(
        "A record that is no CSV is refused by itself, and so is one with two tokens; a column `token` is none by itself"
    )
    func refusedAlone() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let good = "ios,18.1,true,true,production,\(Self.hex("ab"))"
        let text = """
            insider_id,udid,platform,os_version,push_opt_in,gdpr_consent,environment,push_to_start_token,token
            a,1,\(good),
            b"b,2,\(good),
            "c"c,3,\(good),
            d,4,\(good),\(Self.hex("cd"))
            "e,5,\(good),

            """
        try text.write(to: commands.folder.appending(path: "file.csv"), atomically: true, encoding: .utf8)
        try "columns: {token: token}".write(
            to: commands.folder.appending(path: "map.yaml"), atomically: true, encoding: .utf8)
        let plain = try await commands.run("devices", "import", "file.csv", "--dry-run", "--json")
        #expect(
            plain.output.hasPrefix(#"{"devices":2,"refused":3,"#)
                && plain.output.contains(#""unused_columns":["token"]"#))
        #expect(
            plain.output.contains(#""reason":"a quote is not closed","count":1,"lines":[6]"#),
            "\(plain.output)")
        #expect(plain.output.contains(#"must follow the closing quote","count":1,"lines":[4]"#), "\(plain.output)")
        let mapped = try await commands.run("devices", "import", "file.csv", "--map", "map.yaml", "--dry-run")
        #expect(
            mapped.output.contains("1 x the record has both token and push_to_start_token: line 5"), "\(mapped.output)")
    }
}
