import RedisClient
import Testing

@Suite("How many keys and arguments a script takes")
struct ScriptArityTests {
    typealias Count = RedisScriptArity.Count

    @Test("A count takes what must be there, what may be, and whole groups behind that")
    func counts() {
        let counts: [(Count, Set<Int>)] = [
            (Count(required: 2), [2]), (Count(required: 1, optional: 2), [1, 2, 3]),
            (Count(required: 1, group: 1), [1, 2, 3, 4, 5, 6]), (Count(required: 1, group: 2), [1, 3, 5]),
            (Count(required: 0), [0]),
        ]
        for (count, fitting) in counts {
            #expect(Set((0...6).filter(count.accepts)) == fitting, "\(count)")
        }
    }

    private static let script = RedisScript(
        name: "one", source: "return 1",
        arity: RedisScriptArity(keys: Count(required: 1), arguments: Count(required: 1, group: 2)))

    @Test("A script that does not say what it takes takes anything")
    func unsaid() {
        #expect(RedisScript(name: "any", source: "return 1").misfit(keys: 7, arguments: 0) == nil)
    }

    @Test("A call that does not fit ends a debug build, and names the script")
    func ends() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = RedisCommand(script: ScriptArityTests.script, keys: ["a", "b"], arguments: [1])
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("script one takes 1 keys, not 2"))
    }

    @Test("So does one that is written argument by argument")
    func writtenEnds() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var call = RedisScriptCall(ScriptArityTests.script, keyCount: 1, byteCountHint: 30)
            call.append("a")
            call.append(1)
            call.append(2)
            _ = call.finish()
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("script one takes 1 and any number of times 2 arguments, not 2"))
    }
}
