import Testing

@testable import RedisClient

@Suite struct CommandTests {
    private func text(_ command: RedisCommand) -> String {
        String(decoding: command.encoded, as: UTF8.self)
    }

    @Test func argumentsOfEveryTypeAreWrittenAsBulkStrings() {
        let slice = Array("xabcx".utf8)[1..<4]
        let command = RedisCommand("SET", "ключ", [UInt8]([0, 13, 10]), slice, -5, Int64.min, UInt64.max, 0)
        #expect(
            text(command)
                == "*8\r\n$3\r\nSET\r\n$8\r\nключ\r\n$3\r\n\0\r\n\r\n$3\r\nabc\r\n$2\r\n-5\r\n"
                + "$20\r\n-9223372036854775808\r\n$20\r\n18446744073709551615\r\n$1\r\n0\r\n")
    }

    @Test func theNumberOfArgumentsIsOnlyKnownAtTheEnd() {
        var builder = RedisCommandBuilder("DEL")
        for key in 0..<12_345 { builder.append(key) }
        let command = builder.finish()
        #expect(text(command).hasPrefix("*12346\r\n$3\r\nDEL\r\n$1\r\n0\r\n"))
        #expect(text(RedisCommand("PING")) == "*1\r\n$4\r\nPING\r\n")
        #expect(text(RedisCommand("MGET", arguments: ["a", "b"])) == "*3\r\n$4\r\nMGET\r\n$1\r\na\r\n$1\r\nb\r\n")
    }

    @Test func everyBufferEndsWithOneByteThatTheLibraryMayLookAt() {
        #expect(RedisCommand("PING").buffer.last == 0)
        #expect(RedisCommand("PING").encoded.last == UInt8(ascii: "\n"))
    }

    @Test func argumentsThatWereWrittenAheadMakeTheSameCommand() {
        let script = RedisScript(name: "one", source: "return 1")
        var written = RedisArguments(reserving: 4, byteCountHint: 8)
        for number in 0..<200 { written.append(Array("a\(number)".utf8)) }
        written.append()
        written.append([1, 2], [], [13, 10])
        #expect(written.count == 202)
        var call = RedisScriptCall(script, keyCount: 2, byteCountHint: 0)
        call.append([written[0..<1], written[1..<2]])
        call.append([written[150..<152], written[3..<3]])
        call.append([written[200..<202]])
        let command = call.finish()
        let same = RedisCommand(
            script: script, keys: ["a0", "a1"], arguments: ["a150", "a151", "", [UInt8]([1, 2, 13, 10])])
        #expect(command.encoded == same.encoded && command.argumentCount == same.argumentCount)
        #expect(command.withScriptSource?.encoded == same.withScriptSource?.encoded)
    }

    @Test func anArgumentOfAnyLengthMayBeWrittenInPlaceAndReadAgain() {
        let arguments = [0, 1, 9, 10, 99, 100, 250].map { [UInt8](repeating: 10, count: $0) }
        var given = RedisArguments(reserving: arguments.count, byteCountHint: 8)
        var written = RedisArguments(reserving: arguments.count, byteCountHint: 8)
        for argument in arguments {
            given.append(argument)
            written.append { $0 += argument }
        }
        var joined = RedisArguments(reserving: 2, byteCountHint: 8)
        joined.append(given[0..<3])
        joined.append(written[3..<arguments.count])
        let script = RedisScript(name: "any", source: "return 1")
        let commands = [given, written, joined].map {
            var call = RedisScriptCall(script, keyCount: 0, byteCountHint: 0)
            call.append([$0[0..<arguments.count]])
            return call.finish()
        }
        #expect(commands[1].encoded == commands[0].encoded && commands[2].encoded == commands[0].encoded)
        for all in [given, written, joined] {
            #expect(all.count == arguments.count)
            for (number, argument) in arguments.enumerated() { #expect(Array(all[number]) == argument) }
        }
    }

    @Test func aScriptIsCalledByItsDigestAndThenByItsSource() throws {
        let script = RedisScript(name: "one", source: "return 1")
        #expect(script.digest == "e0e1f9fabfc9d4800c877a703b823ac0578ff8db")
        let command = RedisCommand(script: script, keys: ["k"], arguments: [7, "x"])
        let tail = "$1\r\n1\r\n$1\r\nk\r\n$1\r\n7\r\n$1\r\nx\r\n"
        #expect(text(command) == "*6\r\n$7\r\nEVALSHA\r\n$40\r\n\(script.digest)\r\n" + tail)
        let again = try #require(command.withScriptSource)
        #expect(text(again) == "*6\r\n$4\r\nEVAL\r\n$8\r\nreturn 1\r\n" + tail)
        #expect(again.withScriptSource == nil)
    }

    @Test(arguments: ["subscribe", "PSUBSCRIBE", "ssubscribe", "unsubscribe", "Monitor", "hello", "RESET", "quit"])
    func commandsThatChangeTheProtocolAreKnown(_ name: String) {
        #expect(RedisCommand(name).changesProtocol)
    }

    @Test(arguments: ["SET", "PUBLISH", "HSET", "RPUSH", "SYN", "MGET", "UNLINK", ""])
    func otherCommandsAreNot(_ name: String) {
        #expect(!RedisCommand(name).changesProtocol)
    }
}
