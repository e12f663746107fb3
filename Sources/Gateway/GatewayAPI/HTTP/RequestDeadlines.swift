import NIOCore

/// Closes a connection whose client takes too long. A head and a body have a time each, because an idle timeout alone
/// could be evaded by a byte now and then.
///
/// The timer does not move with every request, which would cost more than the request. A timer that fires too early is
/// set again, and a body in one piece with its head needs none. Confined to the channel's event loop.
final class RequestDeadlines {
    private let channel: any Channel
    /// The connection that gets the same events; nil where connections are not counted.
    private let connection: ClientConnection?
    private let headTime: TimeAmount
    private let bodyTime: TimeAmount
    private let uploadSilence: TimeAmount
    /// Answers a request whose body is late, and then has the connection closed. False if it did not answer.
    var bodyIsLate: () -> Bool = { false }
    private var isUpload = false
    private var isBodyOpen = false
    private var isAnswered = false
    /// The time at which the connection ends; nil while the client waits for the answer.
    private var deadline: NIODeadline?
    private var timer: Scheduled<Void>?
    /// The time at which the timer fires, which is never after the deadline.
    private var firesAt = NIODeadline.distantFuture

    /// - Parameters:
    ///   - headTime: The time from the start of the connection, or the last answer, to the end of the next head.
    ///   - bodyTime: The time from there to the end of the body.
    ///   - uploadSilence: The longest pause between bytes of an upload, whose total time is unlimited.
    init(
        _ channel: any Channel, _ connection: ClientConnection? = nil, headTime: TimeAmount, bodyTime: TimeAmount,
        uploadSilence: TimeAmount
    ) {
        self.channel = channel
        self.connection = connection
        self.headTime = headTime
        self.bodyTime = bodyTime
        self.uploadSilence = uploadSilence
    }

    func began() { began(firstHeadBy: .now() + headTime) }

    /// Records the start of the connection, with the deadline of its first head.
    func began(firstHeadBy deadline: NIODeadline) {
        self.deadline = deadline
        schedule()
    }

    func ended() {
        deadline = nil
        timer?.cancel()
        timer = nil
    }

    /// Stops watching the connection. Returns the deadline of the next head.
    func stop() -> NIODeadline {
        let deadline = deadline
        bodyIsLate = { false }
        ended()
        return deadline ?? .now() + headTime
    }

    func headCame(_ now: NIODeadline, isUpload: Bool = false) {
        connection?.headCame()
        isBodyOpen = true
        isAnswered = false
        self.isUpload = isUpload
        deadline = now + (isUpload ? uploadSilence : bodyTime)
    }

    /// Extends the deadline of an upload after a piece of its body.
    func bytesCame() {
        // After the answer the rest is not worth waiting for.
        guard isUpload, isBodyOpen, !isAnswered else { return }
        deadline = .now() + uploadSilence
    }

    /// Records the end of a request's body.
    func bodyCame(_ now: @autoclosure () -> NIODeadline = .now()) {
        connection?.bodyCame()
        isBodyOpen = false
        // If the answer preceded the end of the body, the wait for the next head begins now.
        deadline = isAnswered ? now() + headTime : nil
    }

    func readCompleted() {
        connection?.readCompleted()
        if deadline != nil { schedule() }
    }

    /// Records the end of an answer.
    func answered(_ now: NIODeadline = .now()) {
        connection?.answered()
        isAnswered = true
        guard !isBodyOpen else { return }
        deadline = now + headTime
        schedule()
    }

    private func schedule() {
        guard let deadline, deadline < firesAt else { return }
        timer?.cancel()
        firesAt = deadline
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        timer = channel.eventLoop.scheduleTask(deadline: deadline) { bound.value.fired() }
    }

    private func fired() {
        timer = nil
        firesAt = .distantFuture
        guard let deadline else { return }
        guard NIODeadline.now() >= deadline else { return schedule() }
        if isBodyOpen, !isAnswered, bodyIsLate() { return }
        if let connection { connection.end(.deadline) } else { channel.close(promise: nil) }
    }
}
