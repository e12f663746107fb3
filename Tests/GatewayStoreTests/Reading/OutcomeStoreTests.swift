import LiveActivity
import RedisClient
import RosterCore
import TestStore
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Last outcomes of devices")
struct OutcomeStoreTests {
    private func outcome(_ accepted: [Int], _ failures: [(String, [Int])] = [], unknown: [Int] = [])
        -> PageOutcome
    {
        var outcome = PageOutcome(page: 0)
        outcome.accepted = accepted.map { UInt16($0) }
        outcome.unknown = unknown.map { UInt16($0) }
        for (place, (reason, indexes)) in failures.enumerated() {
            outcome.reasons.append(reason)
            outcome.failed += indexes.map { UInt16($0) }
            outcome.failedFor += indexes.map { _ in UInt8(place) }
        }
        return outcome
    }

    private func write(_ stage: StoreStage, _ outcome: PageOutcome, _ id: UniqueID, at time: WallTime) async throws {
        let change = try #require(outcome.outcomes(at: time))
        _ = try await stage.store.run(
            Scripts.noteOutcomes(
                outcomePage: Keys.outcomePage(id, 0), statusPage: Keys.statusPage(id, 0), first: change.first,
                codes: change.codes, kinds: change.kinds, expiresAt: (stage.now + .seconds(3600)).milliseconds,
                firstSlot: 0, order: ""))
    }

    private func page(_ stage: StoreStage, _ id: UniqueID) async throws -> OutcomePage {
        OutcomePage(try await stage.stored(.outcomes, id, 0))
    }

    @Test("Each device keeps what its own last push came to, whatever its neighbours are sent", arguments: 0..<6)
    func walk(_ seed: UInt64) async throws {
        try await StoreStage.run { stage in
            var generator = SeededGenerator(seed: seed)
            let id = UniqueID.random()
            let count = [3, 40, 868][Int(seed) % 3]
            _ = try await stage.store.value(
                RedisCommand("SET", Keys.statusPage(id, 0), [UInt8](repeating: 3, count: count)))
            var notes: [Int: PushOutcomeNote] = [:]
            var time = WallTime(seconds: 1_900_000_000)
            for step in 0..<25 {
                time = time + .seconds(Int.random(in: 0...2, using: &generator))
                var parts: [[Int]] = [[], [], [], []]
                let share = step % 4 == 0 ? 1.0 : Double.random(in: 0.02...0.9, using: &generator)
                for index in 0..<count where Double.random(in: 0..<1, using: &generator) < share {
                    parts[step % 3 == 0 ? 0 : Int.random(in: 0..<4, using: &generator)].append(index)
                }
                guard !parts.allSatisfy(\.isEmpty) else { continue }
                let reasons = ["BadDeviceToken", "Unregistered"]
                try await write(
                    stage, outcome(parts[0], [(reasons[0], parts[1]), (reasons[1], parts[2])], unknown: parts[3]), id,
                    at: time)
                for (part, failure) in zip(parts, [nil, reasons[0], reasons[1], "unknown"]) {
                    for index in part { notes[index] = PushOutcomeNote(failure: failure, at: time) }
                }
                let page = try await page(stage, id)
                // A page with too many kinds merges the oldest with the same reason, so only times may differ.
                let isExact = Set(notes.values.map { "\($0)" }).count <= OutcomePage.maximumKinds - 4
                for index in 0..<count {
                    let (found, expected) = (page.outcome(index), notes[index])
                    let isSame = found?.failure == expected?.failure && (found == nil) == (expected == nil)
                    #expect(isSame && (!isExact || found == expected), "seed \(seed), step \(step), slot \(index)")
                }
            }
        }
    }

    @Test("Of very many moments the newest is exact, and no reason is mixed up")
    func manyMoments() async throws {
        try await StoreStage.run { stage in
            let id = UniqueID.random()
            _ = try await stage.store.value(
                RedisCommand("SET", Keys.statusPage(id, 0), [UInt8](repeating: 3, count: 200)))
            for number in 0..<200 {
                let time = WallTime(seconds: 1_900_000_000 + Int64(number))
                let failed = number % 3 == 0
                try await write(
                    stage, outcome(failed ? [] : [number], failed ? [("Refused", [number])] : []), id, at: time)
                let page = try await page(stage, id)
                #expect(page.outcome(number) == PushOutcomeNote(failure: failed ? "Refused" : nil, at: time))
                for earlier in 0..<number {
                    let note = try #require(page.outcome(earlier))
                    #expect(note.failure == (earlier % 3 == 0 ? "Refused" : nil))
                    #expect(note.at.seconds >= 1_900_000_000 + Int64(earlier) && note.at <= time)
                }
            }
            let length = try await stage.store.value(RedisCommand("STRLEN", Keys.outcomePage(id, 0))).int ?? 0
            #expect(length <= 1 + Int64(OutcomePage.maximumKinds) * 12 + 200)
        }
    }

    @Test("A page that is pushed to as a whole takes a byte for each device and little more")
    func memory() async throws {
        try await StoreStage.run { stage in
            let id = UniqueID.random()
            let all = Array(0..<RosterGeometry.slotsPerPage)
            _ = try await stage.store.value(
                RedisCommand("SET", Keys.statusPage(id, 0), [UInt8](repeating: 3, count: all.count)))
            for number in 0..<10 {
                let time = WallTime(seconds: 1_900_000_000 + Int64(number))
                try await write(stage, outcome(number % 2 == 0 ? all : Array(all.dropFirst(7))), id, at: time)
            }
            let bytes = try await stage.store.value(RedisCommand("MEMORY", "USAGE", Keys.outcomePage(id, 0))).int ?? 0
            #expect(bytes > 868 && bytes < 1100)
        }
    }

    @Test("Damaged bytes are outcomes of nobody")
    func damaged() {
        for bytes: [UInt8] in [
            [], [1], [1, 0, 0, 0], [1, 0, 0, 0, 0, 9, 65], [255], [0, 1, 2], [1, 0, 0, 0, 0, 0, 2],
        ] {
            let page = OutcomePage(bytes)
            for index in -1...3 { #expect(page.outcome(index) == nil) }
        }
        #expect(
            OutcomePage([1, 5, 0, 0, 0, 0, 1]).outcome(0) == PushOutcomeNote(failure: nil, at: WallTime(seconds: 5)))
    }
}
