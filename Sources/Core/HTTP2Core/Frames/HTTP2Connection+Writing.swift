import FlatMemory

/// Outgoing frames other than requests.
extension HTTP2Connection {
    private static let preface: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    mutating func introduceOurselves() {
        let preface = HTTP2Connection.preface
        out.extend(by: preface.utf8CodeUnitCount).copyMemory(
            from: preface.utf8Start, byteCount: preface.utf8CodeUnitCount)
        var settings: [(UInt16, UInt32)] = [
            // Answers are short, and without a dynamic table header blocks do not depend on each other.
            (SettingIdentifier.headerTableSize, 0),
            (SettingIdentifier.enablePush, 0),
            (SettingIdentifier.maximumHeaderListSize, UInt32(HTTP2Connection.headerBlockLimit)),
        ]
        if let window = limits.streamWindow { settings.append((SettingIdentifier.initialWindowSize, UInt32(window))) }
        let target = frame(FrameHeader(length: settings.count * 6, type: FrameType.settings))
        for (index, setting) in settings.enumerated() {
            target.storeBytes(of: setting.0.bigEndian, toByteOffset: index * 6, as: UInt16.self)
            target.storeBytes(of: setting.1.bigEndian, toByteOffset: index * 6 + 2, as: UInt32.self)
        }
        writeWindowUpdate(stream: 0, UInt32(HTTP2Connection.receiveWindow - receiveRoom))
        receiveRoom = HTTP2Connection.receiveWindow
    }

    mutating func writeGoAway(_ errorCode: UInt32) {
        let target = frame(FrameHeader(length: 8, type: FrameType.goAway))
        // The peer has opened no streams.
        target.storeBytes(of: UInt32(0), as: UInt32.self)
        target.storeBytes(of: errorCode.bigEndian, toByteOffset: 4, as: UInt32.self)
    }

    mutating func writeReset(_ stream: UInt32, _ errorCode: UInt32) {
        // No frame follows the final GOAWAY.
        guard failure == nil else { return }
        frame(FrameHeader(length: 4, type: FrameType.resetStream, stream: stream))
            .storeBytes(of: errorCode.bigEndian, as: UInt32.self)
    }

    mutating func writePing(_ value: UInt64, isAcknowledgment: Bool) {
        let flags = isAcknowledgment ? FrameFlag.acknowledgment : 0
        frame(FrameHeader(length: 8, type: FrameType.ping, flags: flags)).storeBytes(of: value, as: UInt64.self)
    }

    mutating func writeSettingsAcknowledgment() {
        reply()
        guard failure == nil else { return }
        _ = frame(FrameHeader(length: 0, type: FrameType.settings, flags: FrameFlag.acknowledgment))
    }

    mutating func writeWindowUpdate(stream: UInt32, _ increment: UInt32) {
        frame(FrameHeader(length: 4, type: FrameType.windowUpdate, stream: stream))
            .storeBytes(of: increment.bigEndian, as: UInt32.self)
    }

    /// Counts a reply that the peer requested. Endless requests fail the connection.
    mutating func reply() {
        replies += 1
        if replies == HTTP2Connection.replyLimit {
            fail(HTTP2ErrorCode.enhanceYourCalm, "the peer calls for too many replies")
        }
    }

    /// Appends a frame's header and returns the address of its content.
    private mutating func frame(_ header: FrameHeader) -> UnsafeMutableRawPointer {
        let target = out.extend(by: FrameHeader.size + header.length)
        header.write(to: target)
        return target + FrameHeader.size
    }
}
