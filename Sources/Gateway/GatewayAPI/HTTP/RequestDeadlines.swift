import NIOCore

/// Ends a connection whose client takes too long, whatever it sends meanwhile: a head must be complete within one time,
/// a body within another. A timeout for idle connections alone would be evaded by a byte now and then.
///
/// A timer is not moved with every request, which would cost more than the request: when it fires too early it is set
/// again, and a body that comes in one piece with its head needs none. Confined to the channel's event loop.
final class RequestDeadlines {
    private let channel: any Channel
    /// Told of the same; nil where connections are not counted.
    private let connection: ClientConnection?
    private let headTime: TimeAmount
    private let bodyTime: TimeAmount
    private let uploadSilence: TimeAmount
    /// Answers a request whose body does not come to its end, and then has the connection closed. False when it is not
    /// to be answered here.
    var bodyIsLate: () -> Bool = { false }
    private var isUpload = false
    private var isBodyOpen = false
    private var isAnswered = false
    /// When the connection ends; nil while the client waits for us.
    private var deadline: NIODeadline?
    private var timer: Scheduled<Void>?
    /// When the timer fires: at the deadline or before it.
    private var firesAt = NIODeadline.distantFuture

    /// - Parameters:
    ///   - headTime: from the beginning of the connection, or the last answer, to the end of the next head.
    ///   - bodyTime: from there to the end of the body.
    ///   - uploadSilence: the longest pause between the bytes of an upload, which may take any time as a whole.
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

    /// The connection has begun.
    func began() { began(firstHeadBy: .now() + headTime) }

    /// The connection has begun, and its first head must be complete by then.
    func began(firstHeadBy deadline: NIODeadline) {
        self.deadline = deadline
        schedule()
    }

    func ended() {
        deadline = nil
        timer?.cancel()
        timer = nil
    }

    /// Others watch the connection from now on. Returns by when the next head must be complete.
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

    /// A piece of a body has come.
    func bytesCame() {
        // Once it is answered the rest is not worth waiting for.
        guard isUpload, isBodyOpen, !isAnswered else { return }
        deadline = .now() + uploadSilence
    }

    /// The end of a request's body has come.
    func bodyCame(_ now: @autoclosure () -> NIODeadline = .now()) {
        connection?.bodyCame()
        isBodyOpen = false
        // An answer may have come before the end of the body; then the next head is awaited from now on.
        deadline = isAnswered ? now() + headTime : nil
    }

    /// The request that has come in whole is to come once more, elsewhere.
    func withdrawn() {
        connection?.answered()
        deadline = .now() + headTime
    }

    /// All that was there to be read has been read.
    func readCompleted() {
        connection?.readCompleted()
        if deadline != nil { schedule() }
    }

    /// A request has been answered.
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
