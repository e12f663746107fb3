import RedisClient
import Testing

@testable import GatewayStore

@Suite("Scripts made of Lua files")
struct ScriptLibraryTests {
    private func source(_ texts: String...) throws -> String? {
        try ScriptLibrary(texts).scripts["one"]?.source
    }

    private let head = "-- one (writes)\n--\n-- Does it.\n--\n"

    @Test("Keys and arguments become names, and tails the places where they begin; what the code does not use does not")
    func names() throws {
        let lua = try source(
            head + """
                -- KEYS
                --   page
                --   unused: by this code
                --   note?
                -- ARGV
                --   index: in the page,
                --       from 0 on
                --   fields...(2)
                -- Reply: 1

                redis.call('HSET', page, index, ARGV[fields_at], note)
                """)
        #expect(
            lua == """
                local page, note = KEYS[1], KEYS[3]
                local index, fields_at = ARGV[1], 2

                redis.call('HSET', page, index, ARGV[fields_at], note)

                """)
    }

    @Test("What a script includes stands in front of it, once, and behind what that includes")
    func includes() throws {
        let lua = try source(
            "-- b (part)\n-- Includes: a\nlocal function b() return a() end", "-- a (part)\nlocal function a() end",
            head + "-- KEYS\n--   key\n-- Includes: b, a\nreturn b(key)")
        #expect(
            lua == """
                local function a() end
                local function b() return a() end
                local key = KEYS[1]
                return b(key)

                """)
    }

    @Test("Constants become values outside of strings, and comments stay behind")
    func constants() throws {
        let lua = try source(
            head + """
                -- KEYS
                --   key
                return 'STATUS.ended -- \\' ' .. key..STATUS.ended -- STATUS.ended
                    == ACTIVITY.dead, STATUS_BYTE.start_failed
                """)
        #expect(
            lua == """
                local key = KEYS[1]
                return 'STATUS.ended -- \\' ' .. key..16 
                    == '2', '\\004'

                """)
    }

    @Test(
        "A mistake in a file is told with the file's name",
        arguments: [
            ("return STATUS.unheard_of", "STATUS.unheard_of"), ("-- KEYS\n--   a-b\n", "a-b"),
            ("-- ARGV\n--   tail...\n--   more\n", "more"), ("-- ARGV\n--   may?\n--   must\n", "must"),
            ("-- ARGV\n--   tail...(0)\n", "tail"), ("-- Includes: nothing\n", "nothing"),
            ("-- Includes: one\n", "one"),
        ])
    func mistakes(_ text: String, _ mention: String) {
        let mistake = #expect(throws: ScriptFile.Malformed.self) { try ScriptLibrary([head + text]) }
        #expect(mistake?.description.hasPrefix("one ") == true)
        #expect(mistake?.description.contains(mention) == true)
    }

    @Test("A file without a title, and two of one name, are mistakes")
    func titles() {
        #expect(throws: ScriptFile.Malformed.self) { try ScriptLibrary(["return 1"]) }
        #expect(throws: ScriptFile.Malformed.self) { try ScriptLibrary(["-- one (eats)\n"]) }
        #expect(throws: ScriptFile.Malformed.self) { try ScriptLibrary([head, head]) }
    }

    @Test("A script takes as many keys and arguments as its head names")
    func arity() throws {
        let library = try ScriptLibrary([
            head + "-- KEYS\n--   page\n--   note?\n-- ARGV\n--   index\n--   fields...(2)\n"
        ])
        let script = library["one"]
        for (keys, arguments) in [(1, 1), (2, 3), (1, 5)] {
            #expect(script.misfit(keys: keys, arguments: arguments) == nil)
        }
        for (keys, arguments) in [(0, 1), (3, 1), (1, 0), (1, 2)] {
            #expect(script.misfit(keys: keys, arguments: arguments)?.hasPrefix("script one takes ") == true)
        }
    }
}
