import Encodings
import HTTPTypes
import LiveActivity
import NIOCore
import NIOHTTP1
import TimeCore

/// Answers reports of devices in the connection's pipeline, and updates that `DirectUpdates` can answer. Passes every
/// other request on to the router unchanged.
///
/// Requests of one connection are answered in their order. While a report or the router's request waits for its answer,
/// later input is held, and reading pauses.
final class ReportHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    enum State {
        /// Waiting for a head.
        case between
        /// Receiving the body of a request for the router.
        case passing
        /// Receiving the body of a report.
        case reading
        /// Receiving the body of a report that is already answered.
        case draining
        /// Waiting for the answer of a complete report.
        case waiting
        /// Receiving the body of an update that may be answered here.
        case gathering
        /// Carrying out a complete update.
        case deciding
        /// Ended; later input is dropped.
        case closed
    }

    private enum Held {
        case part(HTTPServerRequestPart)
        case fault(HeadCheck.Fault)
        case error(any Error)
        /// The client has closed its direction.
        case inputClosed
    }

    let service: ReportService
    let deadlines: RequestDeadlines
    let connection: ClientConnection
    private let line: RequestLineWatch?
    /// The handler in the pipeline in place of this one, while the connection brings only plain reports.
    private var plain: PlainReportHandler?

    var state = State.between
    /// The address of the current report's client; see `ClientConnection.clientAddress`.
    var clientAddress: IPAddress? { connection.clientAddress(forwardedFor: request?.head.forwardedFor ?? []) }
    /// The report that is being read or waits; nil once it is answered.
    var request: ReportRequest?
    /// The update that is being read; nil once it is carried out or passed to the router.
    var update: UpdateRequest?
    /// The number of requests that the router has not answered.
    private var unanswered = 0
    private var held = CircularBuffer<Held>(initialCapacity: 0)
    private var isReplaying = false
    private var isReadPending = false
    /// True if the connection ends after the router's pending answers.
    private var endsWithAnswers = false
    /// True after the last answer.
    private var isOver = false
    /// True if input was passed on since the last end of a read.
    private var hasPassed = false
    var closesWhenDrained = false
    /// True if the server ends. The event waits, because the router would close a connection that seems idle.
    private var isQuiescing = false

    private(set) var context: ChannelHandlerContext?
    /// The context to which complete answers are written: the response encoder's, whose own work is then skipped, or on
    /// a plain connection this handler's.
    private(set) var encoder: ChannelHandlerContext?
    /// False while the client does not read its answers.
    private var isWritable = true
    /// The socket for direct writes; nil if answers go through the channel.
    private(set) var socket: ReplySocket?
    /// The number of answers in the channel. Later answers must go through the channel too.
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

    /// Starts in `plain`'s place, in a pipeline without other handlers for HTTP.
    /// - Parameter socket: The socket for direct writes. Nil: answers go through the channel.
    func stand(in plain: PlainReportHandler, _ socket: ReplySocket?, _ context: ChannelHandlerContext) {
        self.plain = plain
        self.socket = socket
        self.context = context
        encoder = context
        watchBodies()
    }

    /// Sets up a strong reference cycle that ends with `leave`. A weak reference would have its counts elsewhere in
    /// memory, which costs each report more than the rest of its deadlines.
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

    /// Hands the connection over to other handlers.
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

    // MARK: Input

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        switch part {
        case .head(var head):
            switch HeadCheck.check(head) {
            case .fine: break
            case .last:
                head.headers.replaceOrAdd(name: "Connection", value: "close")
                // A client of HTTP/1.0 does not know 100 Continue (RFC 9110, section 10.1.1).
                if head.version == .http1_0 { head.headers.remove(name: "Expect") }
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

    /// Handles the end of the available bytes.
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

    /// Handles the closure of the client's direction.
    func inputClosed(_ context: ChannelHandlerContext) {
        connection.inputClosed()
        if held.isEmpty, takeInputClosed(context) { return }
        held.append(.inputClosed)
    }

    /// Handles the shutdown of the server.
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

    /// True while input is held, while a large body waits for its key, or while the client does not read its answers.
    private var isPaused: Bool {
        !held.isEmpty || !isWritable || request?.isPaused == true || plain?.isHolding == true
    }

    private var isBusy: Bool {
        switch state {
        case .between, .closed: !held.isEmpty
        case .passing, .reading, .draining, .waiting, .gathering, .deciding: true
        }
    }

    /// True if the requests in front of a part are done. The router gets one request of a connection at a time.
    /// Otherwise a client that sends ahead would delay other clients.
    private func isTurn(of part: HTTPServerRequestPart) -> Bool {
        switch state {
        case .waiting, .deciding: return false
        case .between:
            guard case .head = part else { return true }
            return unanswered == 0
        case .passing, .reading, .draining, .gathering, .closed: return true
        }
    }

    /// Starts the deadline of a part, whose turn has come.
    private func startTime(of part: HTTPServerRequestPart) {
        switch part {
        case .head(let head):
            deadlines.headCame(
                .now(), isUpload: head.uri != UpdateRequest.path && service.endpoints.isUpload(head.method, head.uri))
        case .body: deadlines.bytesCame()
        case .end: deadlines.bodyCame()
        }
    }

    /// Takes a part; false if its turn has not come.
    private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) -> Bool {
        guard isTurn(of: part) else { return false }
        if state != .closed { startTime(of: part) }
        switch state {
        case .between:
            if case .head(let head) = part, let update = UpdateRequest(head), mayAnswerUpdates {
                self.update = update
                state = .gathering
            } else if case .head(let head) = part, let place = service.endpoints.report(head.method, head.uri) {
                read(ReportHead(place, head, parameters: service.endpoints.reportParameters(place, head.uri)), .now())
            } else {
                if case .head = part {
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
            default: if let run = update.flatMap(run) { carryOut(run) } else { passUpdate(isWhole: true) }
            }
        case .waiting, .deciding, .closed: break
        }
        return true
    }

    /// Handles a complete report.
    private func reportCame(_ now: NIODeadline) {
        state = .waiting
        request?.received = service.reception(MonotonicTime(now))
        proceed()
    }

    /// Handles the end of an answered report's body.
    private func drained() {
        if closesWhenDrained {
            closeWhenWritten()
        } else {
            state = .between
            if isQuiescing { replay() }
        }
    }

    /// Passes the received update on to the router.
    func passUpdate(isWhole: Bool = false) {
        guard let update = update.take(), let context else { return }
        guard let head = update.head else { return }
        unanswered += 1
        pass(.head(head), context)
        if let body = update.body { pass(.body(body), context) }
        if isWhole { pass(.end(nil), context) }
        guard state != .closed else { return }
        state = isWhole ? .between : .passing
        // Held input follows after the answer.
        if isWhole { passReadComplete(context) }
        if isQuiescing { replay() }
    }

    private func read(_ head: ReportHead, _ now: NIODeadline) {
        state = .reading
        begin(ReportRequest(head, limits: service.context.settings, now: now))
    }

    // MARK: Input on plain connections

    /// True if a new request has nothing in front of it.
    var isFree: Bool { state == .between && held.isEmpty && !isOver && !isQuiescing }

    /// Takes the head of a report.
    func takePlain(_ head: ReportHead, _ now: NIODeadline) {
        deadlines.headCame(now)
        read(head, now)
    }

    /// Takes a piece of a report's body.
    func takePlain(_ body: ByteBuffer, _ now: NIODeadline) {
        if state == .reading { add(body, now) }
    }

    /// Takes the end of a report's body.
    func takePlainEnd(_ now: NIODeadline) {
        guard state == .reading || state == .draining else { return }
        deadlines.bodyCame(now)
        if state == .reading { reportCame(now) } else { drained() }
    }

    /// Refuses a request with an invalid head.
    private func refuse(_ fault: HeadCheck.Fault) {
        if held.isEmpty, take(fault) { return }
        held.append(.fault(fault))
    }

    /// Refuses the request after the earlier ones are answered; false if its turn has not come.
    private func take(_ fault: HeadCheck.Fault) -> Bool {
        switch state {
        case .between where unanswered == 0: end(with: fault)
        case .closed: break
        case .between, .passing, .reading, .draining, .waiting, .gathering, .deciding: return false
        }
        return true
    }

    /// Answers in place of the request, and closes the connection.
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
                // Every request is answered, so the error has no recipient.
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

    /// Handles the client's closure after the earlier requests are answered; false if its turn has not come.
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

    /// Continues with the input behind an answer.
    func goOnBehindAnswer() {
        if !held.isEmpty || isReadPending || isQuiescing { replay() }
        plain?.goOn()
    }

    /// Takes held input whose turn has come.
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

    /// Limits the time of a body in transit when the server stops, so that it is still answered.
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
            // With a parser error the request is answered and later input ignored.
            if let context { _ = take(HTTPParserError.unknown, context) }
        case .between, .draining, .waiting, .deciding, .closed: break
        }
    }

    func resumeReading() {
        guard isReadPending, let context, !isPaused else { return }
        isReadPending = false
        context.read()
    }

    /// True if the complete body of the router's current request has been passed on.
    var hasPassedWholeBody: Bool { unanswered > 1 || (state != .passing && state != .closed) }

    // MARK: Output

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is BodyRequest, let encoder else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        let buffer = service.allocator.buffer(string: "HTTP/1.1 100 Continue\r\n\r\n")
        encoder.writeAndFlush(NIOAny(buffer), promise: promise)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // The server framework would answer an invalid body again.
        guard !isOver else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        let part = unwrapOutboundIn(data)
        context.write(data, promise: promise)
        // The client may repeat later requests on another connection, so they are ignored here.
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
