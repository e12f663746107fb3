import GatewayStore
import Reactor

/// The owner of runs, which gets their outcomes. On the reactor.
protocol RunOwner: AnyObject {
    /// From 0 up to 1.
    var random: () -> Double { get }
    /// Another gateway has the job.
    func lost(_ run: BroadcastRun)
    /// A page of a run that records events has been written, and its events can be published.
    func pageWritten(_ run: BroadcastRun)
    /// Nothing is left but retries that are not due: whether the run may give its place to others until `resume`.
    func rest(_ run: BroadcastRun) -> Bool
    /// A retry is due, or the run is stopped.
    func resume(_ run: BroadcastRun)
    /// A page was written down.
    func settled(_ outcome: PageOutcome, _ run: BroadcastRun)
    /// The outcome of the page of a held job. It is written with the broadcast's end.
    func settledHeld(_ outcome: PageOutcome, _ run: BroadcastRun)
    /// The run has found out that every further push would fare alike.
    func stopped(_ run: BroadcastRun, _ reason: String)
    /// The provider has rejected nearly all pushes of a run that was too small to be stopped, by the reason given.
    func rejected(_ run: BroadcastRun, _ reason: String)
    /// Many addresses of the run are of another environment or app, by the provider's reason given.
    func wrongEnvironment(_ run: BroadcastRun, _ reason: String)
    /// The provider has deleted the channel of the run.
    func channelDeleted(_ run: BroadcastRun, _ channel: String)
    /// Devices were sent nothing, and the start has ended.
    func start(_ leftOut: LeftOut)
    /// The run has come to its end. Called once.
    func ended(_ run: BroadcastRun, _ end: RunEnd)
}
