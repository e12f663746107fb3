import FlatMemory

@testable import HTTP2Core

extension EngineClient {
    /// An engine whose peer has sent these settings and acknowledged ours; all output is taken.
    static func connected(_ kinds: [RequestKind] = [RequestKind()], _ settings: [(UInt16, UInt32)] = []) throws
        -> EngineClient
    {
        let client = try EngineClient(kinds)
        client.receive(Wire.settings(settings) + Wire.settingsAcknowledgment)
        _ = client.takeOutput(.max)
        return client
    }

    /// Opens `count` streams; tags count on from what was opened before.
    func open(_ count: Int, kind: Int = 0) {
        for _ in 0..<count {
            _ = open(RequestPlan(kind: kind, token: [1, 2, 3, 4], tag: UInt32(streams.count)))
        }
    }

    // Calls that a macro cannot make on a value that is not copied.
    func isWritten(_ stream: UInt32) -> Bool { connection.isWritten(stream) }
    func cancelStream(_ stream: UInt32) -> Bool { connection.cancel(stream) }
    func settle(_ stream: UInt32) -> Bool { connection.settle(stream) }
    func takeDetails(_ index: UInt32) -> HTTP2AnswerDetails { connection.takeDetails(index) }
    var waitingBytes: Int { connection.partial.count + connection.headerBlock.count }

    /// Leaves the events where they are.
    func receiveOnly(_ bytes: [UInt8]) { bytes.withUnsafeBytes { connection.receive($0, now: now) } }

    func takeFrames() -> [WireFrame] { WireFrame.parse(takeOutput(.max)) }
}
