extension Scripts {
    static let answerIdempotencyKey = ScriptLibrary.embedded["answer-idempotency-key"]
    static let claimIdempotencyKey = ScriptLibrary.embedded["claim-idempotency-key"]
    static let noteAnswer = ScriptLibrary.embedded["note-answer"]
}
