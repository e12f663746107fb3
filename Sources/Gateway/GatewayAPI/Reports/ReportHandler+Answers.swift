import HTTPTypes
import LiveActivity
import NIOCore
import TimeCore

// A report's answer on its way out, and the end of its connection.
extension ReportHandler {
    /// Answers the request. The connection goes on, unless the client or the reply wants it otherwise.
    /// - Parameter isLast: the rest of the request is not waited for: the connection ends soon.
    func answer(_ reply: Reply, isLast: Bool = false) {
        write(reply.status.code, isLast) { $0.encode(reply, requestID: $1, closes: $2, now: .recent()) }
    }

    /// Answers that the device's Live Activity of this activity is known now.
    func answerSuccess(_ activity: UniqueID) {
        write(200, false) { $0.encodeSuccess(activity, requestID: $1, closes: $2, now: .recent()) }
    }

    private func write(_ status: Int, _ isLast: Bool, _ encode: (inout ReplyEncoder, String?, Bool) -> [UInt8]) {
        guard encoder != nil, let request = request.take() else { return }
        connection.leaveForwarded(request.place)
        let closes = isLast || !request.head.isKeepAlive
        let given = requestID(of: request)
        let now = NIODeadline.now()
        note(request, status, given, now)
        send(encode(&service.encoder, given, closes), closes: closes, isLast: isLast, now)
    }

    /// Writes an answer that is complete in itself, to what has the connection to itself. The connection goes on,
    /// unless it `closes`.
    func send(_ bytes: [UInt8], closes: Bool, isLast: Bool = false, _ now: NIODeadline = .now()) {
        write(bytes)
        // A connection that turns out to be broken ends at once.
        guard state != .closed else { return }
        deadlines.answered(now)
        switch state {
        case .waiting where closes, .deciding where closes: closeWhenWritten()
        case .waiting, .deciding: state = .between
        case .reading:
            state = .draining
            closesWhenDrained = closes
            if isLast { closeSoon() }
        case .between, .passing, .draining, .gathering, .closed: break
        }
        goOnBehindAnswer()
    }

    /// To the socket, as far as it takes it. The rest is the channel's, and so is what comes behind it until that is
    /// written.
    private func write(_ bytes: [UInt8]) {
        let count = unwritten == 0 ? socket?.write(bytes) ?? 0 : 0
        guard count < bytes.count, let encoder else { return }
        var buffer = service.buffer(of: bytes)
        buffer.moveReaderIndex(forwardBy: count)
        guard socket != nil else { return encoder.writeAndFlush(NIOAny(buffer), promise: nil) }
        unwritten += 1
        encoder.writeAndFlush(NIOAny(buffer)).assumeIsolated().whenComplete { _ in self.unwritten -= 1 }
    }

    /// Closes the connection once the kernel has what the channel has in hand. The deadline that holds, of a head or a
    /// body, goes on to hold.
    func closeWhenWritten() {
        state = .closed
        guard let encoder else { return }
        let channel = encoder.channel
        encoder.writeAndFlush(NIOAny(ByteBuffer())).whenComplete { _ in channel.close(promise: nil) }
    }

    func close() {
        state = .closed
        context?.close(promise: nil)
    }

    /// Closes the connection after the answer has had time to leave: with bytes of the client's unread it might be
    /// lost.
    func closeSoon() {
        guard let channel = context?.channel else { return }
        channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
    }
}
