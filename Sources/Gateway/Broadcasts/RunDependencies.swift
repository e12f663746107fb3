import GatewayStore
import Reactor

/// What a run needs of the gateway around it. On the reactor.
struct RunDependencies {
    let store: GatewayStore
    let reactor: Reactor
    /// From 0 up to 1.
    let random: () -> Double
    /// Somebody else works on the job.
    let lost: (BroadcastRun) -> Void
    /// A page of a run that records events has been written, and is to be told of.
    let pageWritten: (BroadcastRun) -> Void
    /// Nothing is left but retries that are not due: whether the run may give its place to others until `resume`.
    let rest: (BroadcastRun) -> Bool
    /// A retry is due, or the run is stopped.
    let resume: (BroadcastRun) -> Void
    /// Pushes of the run that have no stream yet are not to be sent.
    let withdraw: (BroadcastRun) -> Void
    /// A page was written down.
    let settled: (PageOutcome) -> Void
    /// The run has found out that every further push would fare alike.
    let stopped: (String) -> Void
    /// The provider has rejected nearly all pushes of a run that was too small to be stopped, by the reason given.
    let rejected: (String) -> Void
    /// Many addresses of the run are of another environment or app, by the provider's reason given.
    let wrongEnvironment: (String) -> Void
    /// Devices were sent nothing, and the start has ended.
    let leftOut: (LeftOut) -> Void
    /// What became of the page of an update that is sent at once; it is written with the update's end.
    let directOutcome: (JobTicket, PageOutcome) -> Void
}
