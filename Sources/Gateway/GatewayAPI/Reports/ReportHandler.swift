import Encodings
import HTTPTypes
import LiveActivity
import NIOCore
import NIOHTTP1
import TimeCore

/// Answers reports of devices in the connection's pipeline, and updates that `DirectUpdates` can answer, and passes
/// every other request on to the router as it came.
///
/// Requests of one connection are answered in their order: while a report waits for its answer, or the router for its
/// own, whatever comes behind is held, and nothing more is read once something is held.
final class ReportHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    enum State {
        /// A head is awaited.
        case between
        /// The body of a request of the router's comes in.
        case passing
        /// The body of a report comes in.
        case reading
        /// The same, and the answer is given already.
        case draining
        /// A report has come in whole and waits for its answer.
        case waiting
        /// The body of an update comes in that may be answered here.
        case gathering
        /// Such an update has come in whole, and is being carried out.
        case deciding
        /// The connection ends; whatever comes is dropped.
        case closed
    }

    private enum Held {
        case part(HTTPServerRequestPart)
        case fault(HeadCheck.Fault)
        case error(any Error)
        /// The client sends no more.
        case inputClosed
    }

    let service: ReportService
    let deadlines: RequestDeadlines
    let connection: ClientConnection
    private let line: RequestLineWatch?
    /// Stands in the pipeline in this handler's place, as long as the connection brings plain reports alone.
    private var plain: PlainReportHandler?

    var state = State.between
    /// Whose report is being read or waits; see `ClientConnection.clientAddress`.
    var clientAddress: IPAddress? { connection.clientAddress(forwardedFor: request?.head.forwardedFor ?? []) }
    /// The report that is being read or waits; nil once it is answered.
    var request: ReportRequest?
    /// The update that is being read or carried out; nil once it is answered, or the router's.
    var update: UpdateRequest?
    /// Whether the router answers a client of HTTP/1.0, and what that comes to.
    private var http10 = HTTP10()
    /// Heads that the router was given and has not answered.
    private var unanswered = 0
    private var held = CircularBuffer<Held>(initialCapacity: 0)
    private var isReplaying = false
    private var isReadPending = false
    /// A body that the router was given is no body: its answer is the last one.
    private var endsWithAnswers = false
    /// The last answer was given.
    private var isOver = false
    /// Whether anything was passed on since the last end of a read.
    private var hasPassed = false
    var closesWhenDrained = false
    /// The server ends; the router is told when it is its turn, for it closes connections that look idle.
    private var isQuiescing = false

    private(set) var context: ChannelHandlerContext?
    /// Where answers are written, which are complete in themselves: behind the parser that of the handler that writes
    /// responses, and so past it; on a plain connection this handler's own.
    private(set) var encoder: ChannelHandlerContext?
    /// Whether the client takes what it is answered.
    private var isWritable = true
    /// Takes answers past the channel, if any does.
    private(set) var socket: ReplySocket?
    /// Answers that the channel has in hand. Those behind them are the channel's too.
    var unwritten = 0

    init(
        _ service: ReportService, _ deadlines: RequestDeadlines, _ connection: ClientConnection,
        _ line: RequestLineWatch? = nil
    ) {
        self.service = service
        self.line = line
        self.connection = connection
        self.deadlines = deadlines
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        encoder = try? context.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
        watchBodies()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
        leave()
    }

    /// Begins, in `plain`'s place: there is nothing else in the pipeline that reads or writes HTTP.
    /// - Parameter socket: takes answers past the channel; nil: they go through it.
    func stand(in plain: PlainReportHandler, _ socket: ReplySocket?, _ context: ChannelHandlerContext) {
        self.plain = plain
        self.socket = socket
        self.context = context
        encoder = context
        watchBodies()
    }

    /// This handler and its deadlines hold each other until it leaves: an object that is referred to weakly has its
    /// references counted elsewhere in memory, which costs each report more than all else about its deadlines.
    private func watchBodies() {
        deadlines.bodyIsLate = { self.bodyIsLate() }
    }

    private func leave() {
        deadlines.bodyIsLate = { false }
        context = nil
        encoder = nil
        plain = nil
        socket = nil
    }

    /// Leaves the connection to those who are put in its place.
    func giveUp() {
        state = .closed
        leave()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func end() {
        state = .closed
        if let request { connection.leaveForwarded(request.place) }
        request = nil
        update = nil
        held.removeAll()
        deadlines.ended()
        plain = nil
        socket = nil
    }

    // MARK: What comes in

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        switch part {
        case .head(var head):
            switch HeadCheck.check(head) {
            case .fine: break
            case .last: head.headers.replaceOrAdd(name: "Connection", value: "close")
            case .refused(let fault): return refuse(fault)
            }
            part = .head(head)
        case .body: break
        case .end: line?.requestEnded()
        }
        if held.isEmpty, take(part, context) { return }
        held.append(.part(part))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        readCompleted()
        passReadComplete(context)
    }

    /// All that was there to be read has been read.
    func readCompleted() {
        if state == .reading { hold() }
        if state == .gathering { awaitBody() }
        deadlines.readCompleted()
    }

    private func passReadComplete(_ context: ChannelHandlerContext) {
        guard hasPassed else { return }
        hasPassed = false
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if held.isEmpty, take(error, context) { return }
        held.append(.error(error))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            inputClosed(context)
        } else if event is ChannelShouldQuiesceEvent {
            quiesce(context)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// The client sends no more.
    func inputClosed(_ context: ChannelHandlerContext) {
        connection.inputClosed()
        if held.isEmpty, takeInputClosed(context) { return }
        held.append(.inputClosed)
    }

    /// The server ends.
    func quiesce(_ context: ChannelHandlerContext) {
        limitBody(context)
        if isBusy { isQuiescing = true } else { passQuiescing(context) }
    }

    private func passQuiescing(_ context: ChannelHandlerContext) {
        if plain != nil {
            closeWhenWritten()
            return closeSoon()
        }
        context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        writabilityChanged(context)
        context.fireChannelWritabilityChanged()
    }

    func writabilityChanged(_ context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        resumeReading()
    }

    func read(context: ChannelHandlerContext) {
        if isPaused { isReadPending = true } else { context.read() }
    }

    /// Nothing more is read while something is held, while a big body waits for its key, and while the client does not
    /// take what it is answered.
    private var isPaused: Bool {
        !held.isEmpty || !isWritable || request?.isPaused == true || plain?.isHolding == true
    }

    private var isBusy: Bool {
        switch state {
        case .between, .closed: !held.isEmpty
        case .passing, .reading, .draining, .waiting, .gathering, .deciding: true
        }
    }

    /// Whether what stands in front of a part is done with. The router has one request of a connection at a time, or it
    /// would go through all that a client has sent ahead before it looks at anybody else's.
    private func isTurn(of part: HTTPServerRequestPart) -> Bool {
        switch state {
        case .waiting, .deciding: return false
        case .between:
            guard case .head = part else { return true }
            return unanswered == 0
        case .passing, .reading, .draining, .gathering, .closed: return true
        }
    }

    /// The time of what waits for its turn has not begun.
    private func startTime(of part: HTTPServerRequestPart) {
        switch part {
        case .head(let head):
            deadlines.headCame(
                .now(), isUpload: head.uri != UpdateRequest.path && service.endpoints.isUpload(head.method, head.uri))
        case .body: deadlines.bytesCame()
        case .end: deadlines.bodyCame()
        }
    }

    /// False when it is not the part's turn yet.
    private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) -> Bool {
        guard isTurn(of: part) else { return false }
        if state != .closed { startTime(of: part) }
        switch state {
        case .between:
            if case .head(let head) = part, let update = UpdateRequest(head), mayAnswer(update) {
                self.update = update
                state = .gathering
            } else if case .head(let head) = part, let place = service.endpoints.report(head.method, head.uri) {
                read(ReportHead(place, head, parameters: service.endpoints.reportParameters(place, head.uri)), .now())
            } else {
                if case .head(let head) = part {
                    http10.isAnswered = head.version == .http1_0
                    http10.isKept = head.isKeepAlive
                    unanswered += 1
                    state = .passing
                }
                pass(part, context)
            }
        case .passing:
            pass(part, context)
            guard case .end = part else { break }
            state = .between
            if isQuiescing { replay() }
        case .reading:
            switch part {
            case .body(let bytes): add(bytes, .now())
            default: reportCame(.now())
            }
        case .draining:
            guard case .end = part else { break }
            drained()
        case .gathering:
            switch part {
            case .body(let bytes): update?.add(bytes)
            default:
                state = .deciding
                if !decide() { passUpdate() }
            }
        case .waiting, .deciding, .closed: break
        }
        return true
    }

    /// A report has come in whole.
    private func reportCame(_ now: NIODeadline) {
        state = .waiting
        request?.received = service.reception(MonotonicTime(now))
        proceed()
    }

    /// The rest of a report that has been answered has come.
    private func drained() {
        if closesWhenDrained {
            closeWhenWritten()
        } else {
            state = .between
            if isQuiescing { replay() }
        }
    }

    /// The router has the update that has come.
    func passUpdate() {
        guard let update = update.take(), let context else { return }
        let isWhole = state == .deciding
        if let plain {
            state = .between
            deadlines.withdrawn()
            return plain.passUpdate(isQuiescing: isQuiescing)
        }
        guard let head = update.head else { return }
        // None of these is of HTTP/1.0, whatever came before it.
        http10.isAnswered = false
        unanswered += 1
        pass(.head(head), context)
        if let body = update.body { pass(.body(body), context) }
        if isWhole { pass(.end(nil), context) }
        guard state != .closed else { return }
        state = isWhole ? .between : .passing
        // What was held comes when that is answered.
        if isWhole { passReadComplete(context) }
        if isQuiescing { replay() }
    }

    private func read(_ head: ReportHead, _ now: NIODeadline) {
        state = .reading
        begin(ReportRequest(head, limits: service.context.settings, now: now))
    }

    // MARK: What comes in where all is plain

    /// Whether a request that comes now has nothing in front of it.
    var isFree: Bool { state == .between && held.isEmpty && !isOver && !isQuiescing }

    /// The head of a report has come.
    func takePlain(_ head: ReportHead, _ now: NIODeadline) {
        deadlines.headCame(now)
        read(head, now)
    }

    /// A piece of its body has come.
    func takePlain(_ body: ByteBuffer, _ now: NIODeadline) {
        if state == .reading { add(body, now) }
    }

    /// The end of its body has come.
    func takePlainEnd(_ now: NIODeadline) {
        guard state == .reading || state == .draining else { return }
        deadlines.bodyCame(now)
        if state == .reading { reportCame(now) } else { drained() }
    }

    /// A request's head cannot be acted on.
    private func refuse(_ fault: HeadCheck.Fault) {
        if held.isEmpty, take(fault) { return }
        held.append(.fault(fault))
    }

    /// Whoever waits for an answer gets it first. False when it is not its turn yet.
    private func take(_ fault: HeadCheck.Fault) -> Bool {
        switch state {
        case .between where unanswered == 0: end(with: fault)
        case .closed: break
        case .between, .passing, .reading, .draining, .waiting, .gathering, .deciding: return false
        }
        return true
    }

    /// Answers in place of the request, and ends the connection.
    private func end(with fault: HeadCheck.Fault) {
        state = .closed
        isOver = true
        connection.refused(fault.kind)
        guard let encoder else { return }
        let bytes = service.encoder.encode(Reply(fault.error), requestID: nil, closes: true, now: .now())
        var buffer = service.allocator.buffer(capacity: bytes.count)
        buffer.writeBytes(bytes)
        let channel = encoder.channel
        encoder.writeAndFlush(NIOAny(buffer)).whenComplete { _ in channel.close(mode: .output, promise: nil) }
        closeSoon()
    }

    private func pass(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        hasPassed = true
        if case .head = part { connection.note(service.stall(.now())) }
        context.fireChannelRead(wrapInboundOut(part))
    }

    private func take(_ error: any Error, _ context: ChannelHandlerContext) -> Bool {
        switch state {
        case .between:
            guard let error = error as? HTTPParserError else {
                context.fireErrorCaught(error)
                break
            }
            return take(HeadCheck.fault(error, line: line?.length ?? 0))
        case .passing:
            if error is HTTPParserError {
                // Once it is answered nobody is there to be told.
                guard unanswered > 0 else {
                    close()
                    break
                }
                endsWithAnswers = true
            }
            context.fireErrorCaught(error)
        case .gathering:
            passUpdate()
            return take(error, context)
        case .reading: breakOff()
        case .draining: close()
        case .waiting, .deciding: return false
        case .closed: break
        }
        return true
    }

    /// Whoever waits for an answer gets it first.
    private func takeInputClosed(_ context: ChannelHandlerContext) -> Bool {
        switch state {
        case .between where plain != nil: closeWhenWritten()
        case .between, .passing: context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        case .gathering:
            passUpdate()
            return takeInputClosed(context)
        case .reading: breakOff()
        case .draining: closeWhenWritten()
        case .waiting, .deciding: return false
        case .closed: break
        }
        return true
    }

    /// Goes on with what stands behind an answer.
    func goOnBehindAnswer() {
        if !held.isEmpty || isReadPending || isQuiescing { replay() }
        plain?.goOn()
    }

    /// Goes on with what was held, as far as it is its turn.
    private func replay() {
        guard !isReplaying, let context else { return }
        isReplaying = true
        while let first = held.first {
            let isTaken =
                switch first {
                case .part(let part): take(part, context)
                case .fault(let fault): take(fault)
                case .error(let error): take(error, context)
                case .inputClosed: takeInputClosed(context)
                }
            guard isTaken, !held.isEmpty else { break }
            held.removeFirst()
        }
        isReplaying = false
        readCompleted()
        passReadComplete(context)
        if isQuiescing, !isBusy {
            isQuiescing = false
            passQuiescing(context)
        }
        resumeReading()
    }

    /// The server ends: a body that is on its way has this long to come to its end, and is answered for then, while
    /// there still is somebody to answer.
    private func limitBody(_ context: ChannelHandlerContext) {
        guard state == .reading || state == .passing || state == .gathering else { return }
        let time = TimeAmount(service.context.settings.bodyDeadlineWhenStopping)
        context.eventLoop.assumeIsolated().scheduleTask(in: time) { [weak self] in self?.cutBody() }
    }

    private func cutBody() {
        switch state {
        case .reading: stopBody()
        case .passing, .gathering:
            passUpdate()
            connection.cutBody()
            // As what is no HTTP any more: the request is answered, and nothing behind it is read.
            if let context { _ = take(HTTPParserError.unknown, context) }
        case .between, .draining, .waiting, .deciding, .closed: break
        }
    }

    func resumeReading() {
        guard isReadPending, let context, !isPaused else { return }
        isReadPending = false
        context.read()
    }

    /// Whether the body of the request that the router has to answer next has been passed on to its end.
    var hasPassedWholeBody: Bool { unanswered > 1 || (state != .passing && state != .closed) }

    // MARK: What goes out

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is BodyRequest, let encoder else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        guard !http10.isAnswered else {
            promise?.succeed()
            return
        }
        let buffer = service.allocator.buffer(string: "HTTP/1.1 100 Continue\r\n\r\n")
        encoder.writeAndFlush(NIOAny(buffer), promise: promise)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // The server framework would say once more that a body was no body.
        guard !isOver else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        var part = unwrapOutboundIn(data)
        if case .head(let head) = part { part = .head(http10.head(head)) }
        var promise = promise
        if http10.endsWithBody, case .end = part {
            let channel = context.channel
            let written = promise ?? context.eventLoop.makePromise()
            written.futureResult.whenComplete { _ in channel.close(mode: .output, promise: nil) }
            promise = written
        }
        context.write(wrapOutboundOut(part), promise: promise)
        // Who is told so may send the next request elsewhere: nothing that has come behind is acted on.
        if case .head(let head) = part, head.headers.contains(name: "connection"), !head.isKeepAlive {
            endsWithAnswers = true
        }
        guard case .end = part else { return }
        deadlines.answered()
        unanswered = max(0, unanswered - 1)
        if endsWithAnswers, unanswered == 0 {
            isOver = true
            state = .closed
            closeSoon()
        }
        if unanswered == 0, !held.isEmpty { replay() }
    }
}
