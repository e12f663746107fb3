/// The result of a sync.
enum SyncEnd {
    /// The sync is recorded, and nothing is to be sent. Most syncs end here, so the activity's record is not copied.
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
