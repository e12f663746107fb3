import NIOCore
import NIOHTTP1

/// The only handler of a connection that brings nothing but plain reports, and updates that `DirectUpdates` answers.
/// Other input adds the HTTP parser and the server framework's pipeline, which then own the connection. Both would take
/// as long as the report itself, and longer with more connections, whose memory is in no cache.
///
/// `ReportHandler` answers the reports, as in the other pipeline. Confined to its event loop.
final class PlainReportHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let reports: ReportHandler
    private let socket: ReplySocket?
    private let lines: [[UInt8]]
    /// The number of lines of reports.
    private let reportLines: Int
    /// Adds the rest to the end of the pipeline before it returns. Its parameter is the deadline of the next head.
    private var build: ((NIODeadline) -> Void)?

    private var context: ChannelHandlerContext?
    /// The number of bytes of the report's body that are missing.
    private var rest = 0
    /// The bytes behind an unanswered report. Meanwhile nothing more is read.
    private var behind: ByteBuffer?
    private var isReading = false
    private var isInputClosed = false

    var isHolding: Bool { behind != nil }

    /// - Parameter socket: The socket for direct writes. Nil: answers go through the channel.
    init(_ reports: ReportHandler, socket: ReplySocket?, build: @escaping (NIODeadline) -> Void) {
        self.reports = reports
        self.socket = socket
        self.build = build
        let known = reports.service.endpoints.reportLines
        lines = reports.service.context.updates == nil ? known : known + [UpdateRequest.line]
        reportLines = known.count
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        reports.stand(in: self, socket, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func end() {
        if build != nil {
            reports.end()
            // Breaks the reference cycle between the handlers and their context.
            reports.giveUp()
        }
        build = nil
        behind = nil
        context = nil
    }

    // MARK: Input

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if behind != nil {
            behind?.writeBuffer(&bytes)
        } else {
            take(bytes, context)
        }
    }

    private func take(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        var bytes = bytes
        // The bytes arrived together, so they share one time.
        let now = NIODeadline.now()
        isReading = true
        defer { isReading = false }
        while true {
            if rest > 0, let piece = bytes.readSlice(length: min(rest, bytes.readableBytes)), piece.readableBytes > 0 {
                rest -= piece.readableBytes
                reports.takePlain(piece, now)
                if rest == 0 { reports.takePlainEnd(now) }
            }
            guard bytes.readableBytes > 0, build != nil else { return }
            switch reports.state {
            case .closed: return
            case .between where reports.isFree: break
            default:
                behind = bytes
                return
            }
            let key = reports.service.lastKey
            let head = bytes.withUnsafeReadableBytes {
                PlainHead($0, lines: lines, reports: reportLines, lastKey: key)
            }
            guard let head else { return giveWay(with: bytes, context) }
            switch head.request {
            case .report(let report):
                bytes.moveReaderIndex(forwardBy: head.byteCount)
                rest = head.bodyCount
                reports.takePlain(report, now)
                if rest == 0 { reports.takePlainEnd(now) }
            case .update(let request):
                guard let left = take(request, head, bytes) else { return giveWay(with: bytes, context) }
                bytes = left
            }
        }
    }

    /// Takes an update and returns the bytes behind it. Nil for an incomplete one, and if the router must answer it.
    private func take(_ request: UpdateRequest, _ head: PlainHead, _ bytes: ByteBuffer) -> ByteBuffer? {
        var (request, bytes) = (request, bytes)
        guard let whole = bytes.readSlice(length: head.byteCount + head.bodyCount) else { return nil }
        request.body = whole.getSlice(at: whole.readerIndex + head.byteCount, length: head.bodyCount)
        return reports.takePlain(request) ? bytes : nil
    }

    /// Ends the first read of the new pipeline, and starts the next one.
    private func builtSeesEnd(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        context.channel.pipeline.fireChannelReadComplete()
        context.channel.read()
    }

    /// Continues after an answer.
    func goOn() {
        guard !isReading, let context, reports.isFree else { return }
        guard let bytes = behind.take() else {
            if isInputClosed { reports.inputClosed(context) }
            return
        }
        take(bytes, context)
        guard build != nil else { return builtSeesEnd(context) }
        reports.readCompleted()
        if isInputClosed, behind == nil, reports.state != .deciding { reports.inputClosed(context) }
        reports.resumeReading()
    }

    /// Builds the full pipeline, which owns the connection from now on.
    private func giveWay(with bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard let build else { return }
        self.build = nil
        let deadline = reports.deadlines.stop()
        reports.giveUp()
        build(deadline)
        context.fireChannelRead(wrapInboundOut(bytes))
        if isInputClosed { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if build == nil { context.fireChannelReadComplete() } else { reports.readCompleted() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed where behind != nil || reports.state == .deciding: isInputClosed = true
        case ChannelEvent.inputClosed: reports.inputClosed(context)
        case is ChannelShouldQuiesceEvent: reports.quiesce(context)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if reports.state == .reading { reports.breakOff() } else { reports.close() }
    }

    // MARK: Output

    func channelWritabilityChanged(context: ChannelHandlerContext) { reports.writabilityChanged(context) }

    func read(context: ChannelHandlerContext) { reports.read(context: context) }
}
