import APNsCore
import Delivery
import LiveActivity
import PushClient
import Reactor
import TestProvider
import Testing

extension PushClientTests {
    @Suite("Batches") struct BatchTests {
        @Test("As many of a batch are taken as there is room for, from the first on, and go out in their order")
        func partial() async throws {
            let stage = try Stage(limit: 100) {
                $0.queueLimit = 100; $0.maximumConnections = 1; $0.initialStreams = 100
            }
            // The first push opens the connection.
            _ = try await stage.run(1, firstTag: 90_000)
            let giver = BatchGiver(stage.client, try Stage.template(), batches: [giverTags(0..<1_000)])
            let outcomes = await giver.run()
            #expect(outcomes.count == 1_000 && outcomes.values.allSatisfy { $0 == [.accepted] })
            #expect(giver.violations.isEmpty, "\(giver.violations)")
            #expect(giver.calls.count > 2 && giver.calls.allSatisfy { $0.taken == min($0.given, $0.room) })
            #expect(giver.calls.contains { $0.taken > 0 && $0.taken < $0.given })
            let paths = stage.provider.ledger.dropFirst().map(\.path)
            #expect(paths == (0..<1_000).map { OutcomeRecorder.path(UInt64($0)) })
            await stage.close()
        }

        @Test("What cannot be sent ends by itself, takes no room, and the others of its batch are sent")
        func unsendable() async throws {
            let stage = try Stage()
            _ = try await stage.run(1, firstTag: 90_000)
            var batch = giverTags(0..<60)
            batch[0].token = []
            batch[20].token = [UInt8](repeating: 1, count: 201)
            batch[59].token = [UInt8](repeating: 1, count: 70_000)
            let giver = BatchGiver(stage.client, try Stage.template(), batches: [batch])
            let outcomes = await giver.run()
            let unsendable: Set<UInt64> = [0, 20, 59]
            for tag in 0..<60 as Range<UInt64> {
                let expected: PushOutcome =
                    unsendable.contains(tag) ? .unsent(.unsendable, mayHaveBeenDelivered: false) : .accepted
                #expect(outcomes[tag] == [expected])
            }
            #expect(giver.violations.isEmpty, "\(giver.violations)")
            #expect(giver.calls.first.map { $0.room - $0.roomAfter } == 57)
            #expect(stage.provider.requests == 1 + 57)
            await stage.close()
        }

        @Test("A batch with header fields that no frame holds ends, each of it once, and not before the call is over")
        func tooLarge() async throws {
            let stage = try Stage()
            _ = try await stage.run(1, firstTag: 90_000)
            let headers = try PushHeaders(
                topic: String(repeating: "t", count: 13_000), priority: .immediate, expiration: 0)
            let identifier = PushIdentifier(
                broadcast: UniqueID(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10))
            let template = try PushTemplate(
                destination: .updateToken, event: .update, headers: headers, identifier: identifier, body: [1])
            let giver = BatchGiver(stage.client, template, batches: [giverTags(0..<64)])
            let outcomes = await giver.run()
            #expect(outcomes.count == 64)
            #expect(outcomes.values.allSatisfy { $0 == [.unsent(.unsendable, mayHaveBeenDelivered: false)] })
            #expect(giver.violations.isEmpty, "\(giver.violations)")
            await stage.close()
        }

        @Test("Batches that are given from within the calls that tell outcomes are sent, and told once")
        func fromCallbacks() async throws {
            let stage = try Stage { $0.queueLimit = 2_000 }
            _ = try await stage.run(1, firstTag: 90_000)
            let batches = (0..<50).map { index in
                var batch = giverTags(index * 40..<(index + 1) * 40)
                batch[index % 40].token = []
                return batch
            }
            let giver = BatchGiver(stage.client, try Stage.template(), batches: batches)
            let outcomes = await giver.run()
            #expect(outcomes.count == 2_000 && outcomes.values.allSatisfy { $0.count == 1 })
            #expect(outcomes.values.count { $0 == [.accepted] } == 1_950)
            #expect(giver.calls.count == 50 && giver.calls.count { $0.isFromCallback } == 49)
            #expect(giver.violations.isEmpty, "\(giver.violations)")
            #expect(stage.ledgerAccepted().count == 1_951)
            await stage.close()
        }

        private func giverTags(_ tags: Range<Int>) -> [BatchGiver.Push] {
            tags.map { (UInt64($0), OutcomeRecorder.token(UInt64($0))) }
        }
    }
}

/// Gives one batch after the other and checks the client's handling. The next batch follows the first outcomes of the
/// one before. A partly taken batch continues when there is more room.
private final class BatchGiver: PushOutcomeReceiver, RoomListener, @unchecked Sendable {
    typealias Push = (tag: UInt64, token: [UInt8])

    struct Call {
        let given: Int
        let taken: Int
        let room: Int
        let roomAfter: Int
        let isFromCallback: Bool
    }

    // Confined to the reactor until `run` has returned.
    private(set) var calls: [Call] = []
    private(set) var violations: [String] = []
    private let client: PushClient
    private let template: PushTemplate
    private var batches: ArraySlice<[Push]>
    private var left: Int
    private var outcomes: [UInt64: [PushOutcome]] = [:]
    private var isGiving = false
    private var isTold = false
    private var finished: (([UInt64: [PushOutcome]]) -> Void)?

    init(_ client: PushClient, _ template: PushTemplate, batches: [[Push]]) {
        self.client = client
        self.template = template
        self.batches = batches[...]
        left = batches.reduce(0) { $0 + $1.count }
    }

    /// Gives all batches. Returns the outcomes by tag once there are as many as pushes.
    func run() async -> [UInt64: [PushOutcome]] {
        await client.reactor.call(stopped: [:]) { finished in
            self.finished = finished
            self.client.add(self)
            self.give()
        }
    }

    func roomGrew() {
        if let last = calls.last, last.taken < last.given { give() }
    }

    var pushesWaiting: Int { batches.first?.count ?? 0 }

    private func give() {
        guard let batch = batches.first else { return }
        isGiving = true
        let room = client.room
        let taken = client.push(batch, template, to: self)
        isGiving = false
        calls.append(
            Call(given: batch.count, taken: taken, room: room, roomAfter: client.room, isFromCallback: isTold))
        if taken < batch.count { batches[batches.startIndex].removeFirst(taken) } else { batches.removeFirst() }
    }

    func pushesAccepted(_ pushes: UnsafeBufferPointer<AcceptedPush>) { told(pushes.map { ($0.tag, .accepted) }) }

    func pushesEnded(_ outcomes: UnsafeBufferPointer<PushResult>) { told(outcomes.map { ($0.tag, $0.outcome) }) }

    private func told(_ results: [(UInt64, PushOutcome)]) {
        if isGiving { violations.append("told of \(results.count) while pushes are given") }
        for (tag, outcome) in results { outcomes[tag, default: []].append(outcome) }
        left -= results.count
        isTold = true
        give()
        isTold = false
        guard left == 0 else { return }
        client.remove(self)
        finished?(outcomes)
    }
}
