/// How a sync ends.
enum SyncEnd {
    /// It is noted, and nothing is to be sent: nearly every one. Nothing of the activity's record is copied for it.
    case noted(KnownActivity, slot: UInt32)
    indirect case other(SyncOutcome)
    case failed(StoreError)

    var result: Result<SyncOutcome, StoreError> {
        switch self {
        case .noted(let known, let slot): .success(.synced(known.record, slot: slot, lateEnd: nil))
        case .other(let outcome): .success(outcome)
        case .failed(let error): .failure(error)
        }
    }
}
