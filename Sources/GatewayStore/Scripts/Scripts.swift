import RedisClient

/// The atomic steps, each a Lua script that runs on the node of its keys. They compare and set; the rules that decide
/// stand in `LiveActivity`. Each is a file under the `Lua` folder of its feature, whose head says what it takes and
/// replies; a script whose name begins with `count`, `find`, `has` or `read` writes nothing.
enum Scripts {
    static let all: [RedisScript] = ScriptLibrary.embedded.scripts.values.sorted { $0.name < $1.name }

    // Activities
    static let cancel = ScriptLibrary.embedded["cancel"]
    static let confirmSlots = ScriptLibrary.embedded["confirm-slots"]
    static let findNextTimestamp = ScriptLibrary.embedded["find-next-timestamp"]
    static let makeActivity = ScriptLibrary.embedded["make-activity"]
    static let reserveSlots = ScriptLibrary.embedded["reserve-slots"]
    static let unlock = ScriptLibrary.embedded["unlock"]

    // Broadcasts
    static let amendBroadcast = ScriptLibrary.embedded["amend-broadcast"]
    static let beginBroadcast = ScriptLibrary.embedded["begin-broadcast"]
    static let closeStart = ScriptLibrary.embedded["close-start"]
    static let finishPage = ScriptLibrary.embedded["finish-page"]
    static let noteBroadcast = ScriptLibrary.embedded["note-broadcast"]
    static let noteOutcomes = ScriptLibrary.embedded["note-outcomes"]
    static let openPartition = ScriptLibrary.embedded["open-partition"]
    static let openStart = ScriptLibrary.embedded["open-start"]
    static let recordOutcomes = ScriptLibrary.embedded["record-outcomes"]
    static let releaseDoubted = ScriptLibrary.embedded["release-doubted"]

    // Devices
    static let addStartCells = ScriptLibrary.embedded["add-start-cells"]
    static let claimExternalActivity = ScriptLibrary.embedded["claim-external-activity"]
    static let claimToken = ScriptLibrary.embedded["claim-token"]
    static let clearUpdateCell = ScriptLibrary.embedded["clear-update-cell"]
    static let dropToken = ScriptLibrary.embedded["drop-token"]
    static let findNewestUpdate = ScriptLibrary.embedded["find-newest-update"]
    static let hasMet = ScriptLibrary.embedded["has-met"]
    static let joinUser = ScriptLibrary.embedded["join-user"]
    static let markToken = ScriptLibrary.embedded["mark-token"]
    static let nameCard = ScriptLibrary.embedded["name-card"]
    static let noteMet = ScriptLibrary.embedded["note-met"]
    static let noteReading = ScriptLibrary.embedded["note-reading"]
    static let placeDevice = ScriptLibrary.embedded["place-device"]
    static let putDevice = ScriptLibrary.embedded["put-device"]
    static let putStartCell = ScriptLibrary.embedded["put-start-cell"]
    static let putUpdateCell = ScriptLibrary.embedded["put-update-cell"]
    static let readCells = ScriptLibrary.embedded["read-cells"]
    static let releaseToken = ScriptLibrary.embedded["release-token"]
    static let settleToken = ScriptLibrary.embedded["settle-token"]
    static let takeSlot = ScriptLibrary.embedded["take-slot"]

    // Events
    static let addWebhook = ScriptLibrary.embedded["add-webhook"]
    static let changeWebhook = ScriptLibrary.embedded["change-webhook"]
    static let deleteWebhook = ScriptLibrary.embedded["delete-webhook"]
    static let findUnpublishedPages = ScriptLibrary.embedded["find-unpublished-pages"]
    static let leaseDeliveries = ScriptLibrary.embedded["lease-deliveries"]
    static let publishEvents = ScriptLibrary.embedded["publish-events"]
    static let resendLetters = ScriptLibrary.embedded["resend-letters"]
    static let rotateWebhook = ScriptLibrary.embedded["rotate-webhook"]
    static let settleDelivery = ScriptLibrary.embedded["settle-delivery"]
    static let switchStream = ScriptLibrary.embedded["switch-stream"]
    static let takeDeliveries = ScriptLibrary.embedded["take-deliveries"]

    // Idempotency
    static let claimIdempotencyKey = ScriptLibrary.embedded["claim-idempotency-key"]

    // Jobs
    static let addLateEnd = ScriptLibrary.embedded["add-late-end"]
    static let beginJob = ScriptLibrary.embedded["begin-job"]
    static let completeJob = ScriptLibrary.embedded["complete-job"]
    static let forgetVanished = ScriptLibrary.embedded["forget-vanished"]
    static let removeJob = ScriptLibrary.embedded["remove-job"]
    static let renewJobs = ScriptLibrary.embedded["renew-jobs"]
    static let sealBroadcast = ScriptLibrary.embedded["seal-broadcast"]
    static let takeJobs = ScriptLibrary.embedded["take-jobs"]

    // ProviderTokens
    static let exchangeProviderToken = ScriptLibrary.embedded["exchange-provider-token"]

    // Reading
    static let countStates = ScriptLibrary.embedded["count-states"]
    static let noteTap = ScriptLibrary.embedded["note-tap"]

    // Restarts
    static let dropStartPages = ScriptLibrary.embedded["drop-start-pages"]
    static let findToHeal = ScriptLibrary.embedded["find-to-heal"]
    static let postponeHealing = ScriptLibrary.embedded["postpone-healing"]
    static let prepareRestart = ScriptLibrary.embedded["prepare-restart"]
    static let renewLock = ScriptLibrary.embedded["renew-lock"]

    // Schedules
    static let addSchedule = ScriptLibrary.embedded["add-schedule"]
    static let changeSchedule = ScriptLibrary.embedded["change-schedule"]
    static let concludeSchedule = ScriptLibrary.embedded["conclude-schedule"]

    // Segments
    static let deleteSegment = ScriptLibrary.embedded["delete-segment"]
    static let installSegment = ScriptLibrary.embedded["install-segment"]
    static let takeOverSegmentChore = ScriptLibrary.embedded["take-over-segment-chore"]

    // Tenants
    static let admit = ScriptLibrary.embedded["admit"]
    static let changeTenant = ScriptLibrary.embedded["change-tenant"]
    static let forgetSecrets = ScriptLibrary.embedded["forget-secrets"]
    static let putCredential = ScriptLibrary.embedded["put-credential"]
    static let rotateSecret = ScriptLibrary.embedded["rotate-secret"]
}
