public import Delivery
public import GatewayStore
public import LiveActivity

/// The events of broadcasts and their jobs on this gateway, for the log and for traces. None is about a single push.
/// Published on the reactor.
public enum JobEvent: Sendable {
    /// This gateway has recorded a broadcast.
    case recorded(BroadcastOrder)
    /// Work on a job has begun; resumed when another gateway had worked on it.
    case begun(JobTicket, BroadcastOrder, isResumed: Bool)
    case ended(JobTicket, BroadcastOrder, JobEnd)
    /// Every further push of the broadcast would fare alike, so none is sent.
    case stopped(BroadcastOrder, reason: String)
    /// The provider has rejected nearly all pushes of a job that was too small to be stopped.
    case rejected(BroadcastOrder, reason: String)
    /// Many addresses of a job are of another environment or app than they were sent to.
    case wrongEnvironment(BroadcastOrder, Cohort, reason: String)
    /// The provider has deleted the broadcast's channel. The devices that follow it can get nothing more.
    case channelDeleted(BroadcastOrder, channel: String)
    /// This gateway cannot push with a credential while others can: its jobs are left to them.
    case letGo(ProviderIdentity, reason: String)
    /// This gateway can push with the credential again.
    case tookUp(ProviderIdentity)
    /// The broadcast of a job is gone from the store though it had not ended: nothing of it can be sent any more.
    case vanished(JobTicket)
    /// Devices of an activity have lost their Live Activity, and the start's texts with the newest content are too long
    /// a push.
    case cannotHeal(UniqueID, length: Int)
    /// The last job of a broadcast was done here.
    case finished(BroadcastRecord, BroadcastOrder)
}

/// The end of a gateway's work on a job.
public enum JobEnd: String, Sendable {
    case complete
    /// Others take what is left.
    case handedOver = "handed_over"
    /// Another gateway has taken the job.
    case lost
}
