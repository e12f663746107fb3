import Delivery
import LiveActivity

/// A page of a roster on its way to the provider.
public struct PageOfDevices: Sendable {
    /// The page's number in the roster.
    public let page: Int
    /// The addressed devices: index in the page, and range of the token in `bytes`.
    public private(set) var devices: [(index: Int, token: Range<Int>)] = []
    /// The addressed devices that are not in `devices`, by the reason.
    public private(set) var skipped = SkipCounts()
    /// The skipped devices whose Live Activity has ended.
    private var ended: [Int] = []
    /// True if a token of a start is moving between two devices: see `TokenPage.movingMark`.
    public private(set) var hasMovingToken = false
    /// The devices that an end passes over and will reach by their next tokens.
    public private(set) var awaited: [Int] = []
    /// The bytes that the ranges refer to.
    public private(set) var bytes: [UInt8]

    private init(page: Int, bytes: [UInt8]) {
        self.page = page
        self.bytes = bytes
    }
}

extension PageOfDevices {
    /// Reads the slots at some indexes.
    public init(_ page: Int, _ indexes: [Range<Int>], _ bytes: [UInt8], _ statuses: [UInt8], kind: PushEvent) {
        self.init(page: page, bytes: bytes)
        let tokens = TokenPage(bytes)
        devices.reserveCapacity(indexes.reduce(0) { $0 + $1.count })
        for range in indexes { add(range, tokens, statuses, kind) }
    }

    /// From the cells of the page's slots that are addressed.
    public init(_ page: Int, _ indexes: [Int], _ cells: [RosterCell], kind: PushEvent) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(cells.reduce(0) { $0 + $1.content.count })
        let places = cells.map { cell in
            defer { bytes += cell.content }
            return bytes.count..<(bytes.count + cell.content.count)
        }
        self.init(page: page, bytes: bytes)
        devices.reserveCapacity(cells.count)
        for (index, (cell, place)) in zip(indexes, zip(cells, places)) {
            add(index, status: cell.status, place.isEmpty ? .none(cell.reason) : .content(place), mark: cell.mark, kind)
        }
    }

    /// Returns the page without counting Live Activities that have ended after a push as skipped.
    ///
    /// - Parameter isCounted: True if the device at an index has an outcome.
    public func withoutCounted(_ isCounted: (Int) -> Bool) -> PageOfDevices {
        var page = self
        page.skipped[.ended] -= ended.count(where: isCounted)
        return page
    }

    /// The times at which the update tokens were reported, as their cells have them: four bytes for each slot up to the
    /// last device. Empty for a kind of route with one token.
    public var reportTimes: [UInt8] {
        guard !RosterGeometry.kind(ofPage: page).hasOneToken, let last = devices.map(\.index).max() else { return [] }
        var times = [UInt8](repeating: 0, count: (last + 1) * UpdateToken.timeLength)
        for (index, token) in devices {
            let first = index * UpdateToken.timeLength
            let time = bytes[(token.lowerBound - UpdateToken.timeLength)..<token.lowerBound]
            times.replaceSubrange(first..<(first + UpdateToken.timeLength), with: time)
        }
        return times
    }

    /// True if a registration token is stored elsewhere: see `RegistrationToken`.
    public var hasMarks: Bool { devices.contains { isMark($0.token) } }

    /// The devices whose registration token stands elsewhere, by index.
    public var marked: [Int] { devices.filter { isMark($0.token) }.map(\.index) }

    private func isMark(_ token: Range<Int>) -> Bool {
        token.count == RegistrationToken.mark.count && bytes[token].elementsEqual(RegistrationToken.mark)
    }

    /// Returns the page with these tokens, by index, in place of marks. A device without a token, or with one that is
    /// too long with its escapes, is passed over.
    public func withTokens(_ tokens: [Int: [UInt8]]) -> PageOfDevices {
        var page = self
        page.devices = devices.compactMap { index, place in
            guard isMark(place) else { return (index, place) }
            let token = tokens[index].map(RegistrationToken.escaped) ?? []
            guard (1...RegistrationToken.longest).contains(token.count) else {
                page.skipped[.noRegistrationToken] += 1
                page.awaited.append(index)
                return nil
            }
            page.bytes += token
            return (index, (page.bytes.count - token.count)..<page.bytes.count)
        }
        return page
    }

    /// Returns the page without some of its devices, by index, which are passed over.
    public func without(_ indexes: Set<Int>, _ reason: SkipReason) -> PageOfDevices {
        var page = self
        page.devices.removeAll { indexes.contains($0.index) }
        page.skipped[reason] += devices.count - page.devices.count
        return page
    }

    /// Returns the page beginning with the first device from an index on. Earlier devices come last.
    public func beginning(at index: Int) -> PageOfDevices {
        guard index > 0, let first = devices.firstIndex(where: { $0.index >= index }), first > 0 else { return self }
        var page = self
        page.devices = Array(devices[first...] + devices[..<first])
        return page
    }

    /// Nearly all slots of a page hold a token and await one; these are taken here, in a few nanoseconds each.
    private mutating func add(_ indexes: Range<Int>, _ tokens: TokenPage, _ statuses: [UInt8], _ kind: PushEvent) {
        let timeLength = kind.tokens == .update ? UpdateToken.timeLength : 0
        let (cells, statuses) = (tokens.bytes.span, statuses.span)
        let width = tokens.width
        let end = min(indexes.upperBound, statuses.count, width > 1 ? (cells.count - 1) / width : 0)
        var start = 1 + indexes.lowerBound * width
        for index in indexes.lowerBound..<max(indexes.lowerBound, end) {
            let length = Int(cells[start])
            if DeliveryStatus.isAddressed(statuses[index], by: kind), length > timeLength, length < width {
                devices.append((index, (start + 1 + timeLength)..<(start + 1 + length)))
            } else {
                add(index, status: statuses[index], tokens.cell(index), mark: tokens.mark(index), kind)
            }
            start += width
        }
        for index in max(indexes.lowerBound, end)..<indexes.upperBound {
            add(
                index, status: index < statuses.count ? statuses[index] : DeliveryStatus.absent, tokens.cell(index),
                mark: tokens.mark(index), kind)
        }
    }

    private mutating func add(
        _ index: Int, status: UInt8, _ cell: TokenPage.Cell, mark byte: UInt8, _ kind: PushEvent
    ) {
        // A start passes over devices that it has reached, whose outcomes are recorded and counted.
        guard DeliveryStatus.isMember(status), kind != .start || !DeliveryStatus.isStartDecided(status) else { return }
        guard DeliveryStatus.endReason(status) == nil else {
            skipped[.ended] += 1
            return ended.append(index)
        }
        switch cell {
        case .none(let mark):
            hasMovingToken = hasMovingToken || kind == .start && byte == TokenPage.movingMark
            let reason = kind.tokens.reason(mark, status: status)
            skipped[reason] += 1
            if kind == .end, reason.leavesEndPending { awaited.append(index) }
        case .content(let range):
            guard kind != .start else { return devices.append((index, range)) }
            // A damaged cell holds no token: the device is counted all the same.
            guard let token = UpdateToken.token(in: range) else { return skipped[.notSynced] += 1 }
            devices.append((index, token))
        }
    }
}
