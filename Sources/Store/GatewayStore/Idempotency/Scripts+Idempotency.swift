// Written by scripts/store_scripts from the Lua files.
import CStoreScripts
import RedisClient

extension Scripts {
    struct AnswerIdempotencyKeyReply {
        let status: Int
        let answer: [UInt8]

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 2,
                let status = ScriptReply.int(parts[0]),
                let answer = ScriptReply.bytes(parts[1])
            else { return nil }
            return Self(status: status, answer: answer)
        }
    }

    static let answerIdempotencyKeyScript = RedisScript(
        name: "answer-idempotency-key", source: String(cString: store_script_answer_idempotency_key()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 4)))

    /// Stores the answer for an idempotency key if there is none.
    static func answerIdempotencyKey(
        record: String, body: some RedisArgumentConvertible, status: some RedisArgumentConvertible,
        reply: some RedisArgumentConvertible, kept: some RedisArgumentConvertible
    ) -> ScriptCall<AnswerIdempotencyKeyReply> {
        ScriptCall(
            answerIdempotencyKeyScript, [record], [body, status, reply, kept], read: AnswerIdempotencyKeyReply.read)
    }

    enum ClaimIdempotencyKeyReply {
        case claimed(id: String, arrived: Int)
        case reused
        case answered(status: Int, answer: [UInt8])
        case underWay(id: String)

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 1:
                guard parts.count >= 3,
                    let id = ScriptReply.text(parts[1]),
                    let arrived = ScriptReply.int(parts[2])
                else { return nil }
                return .claimed(id: id, arrived: arrived)
            case 2: return .reused
            case 3:
                guard parts.count >= 3,
                    let status = ScriptReply.int(parts[1]),
                    let answer = ScriptReply.bytes(parts[2])
                else { return nil }
                return .answered(status: status, answer: answer)
            case 0:
                guard parts.count >= 2,
                    let id = ScriptReply.text(parts[1])
                else { return nil }
                return .underWay(id: id)
            default: return nil
            }
        }
    }

    static let claimIdempotencyKeyScript = RedisScript(
        name: "claim-idempotency-key", source: String(cString: store_script_claim_idempotency_key()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 6)))

    /// Claims an idempotency key, or returns the state of its first request.
    static func claimIdempotencyKey(
        record: String, body: some RedisArgumentConvertible, id: some RedisArgumentConvertible,
        now: some RedisArgumentConvertible, heldUntil: some RedisArgumentConvertible,
        arrived: some RedisArgumentConvertible, kept: some RedisArgumentConvertible
    ) -> ScriptCall<ClaimIdempotencyKeyReply> {
        ScriptCall(
            claimIdempotencyKeyScript, [record], [body, id, now, heldUntil, arrived, kept],
            read: ClaimIdempotencyKeyReply.read)
    }

    static let noteAnswerScript = RedisScript(
        name: "note-answer", source: String(cString: store_script_note_answer()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 4)))

    /// Adds an answer to the budget that a tenant's kept answers use: its bytes times the kept part of the
    /// window.
    static func noteAnswer(
        answers: String, bytes: some RedisArgumentConvertible, now: some RedisArgumentConvertible,
        budget: some RedisArgumentConvertible, window: some RedisArgumentConvertible
    ) -> ScriptCall<Int> {
        ScriptCall(noteAnswerScript, [answers], [bytes, now, budget, window], read: ScriptReply.int)
    }
}
