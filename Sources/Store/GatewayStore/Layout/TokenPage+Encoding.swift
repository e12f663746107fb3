import LiveActivity
import RosterCore

extension TokenPage {
    /// Returns a page of the cells, as wide as the longest one.
    static func encode(_ cells: [[UInt8]]) -> [UInt8] {
        let width = cells.reduce(2) { max($0, $1.count) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1 + cells.count * width)
        bytes.append(UInt8(width))
        for cell in cells {
            bytes += cell
            bytes += repeatElement(0, count: width - cell.count)
        }
        return bytes
    }

    /// The content of a cell that is written.
    enum Content {
        /// 1 to 254 bytes.
        case token(ArraySlice<UInt8>)
        case none(SkipReason?)
    }

    /// Returns a page without allocating memory for each cell.
    ///
    /// - Parameter content: Returns the content at an index. It is called twice for each cell.
    static func encode(count: Int, _ content: (Int) -> Content) -> [UInt8] {
        var width = 2
        for index in 0..<count {
            if case .token(let token) = content(index) { width = max(width, 1 + token.count) }
        }
        return [UInt8](unsafeUninitializedCapacity: 1 + count * width) { buffer, used in
            used = 1 + count * width
            buffer.initialize(repeating: 0)
            buffer[0] = UInt8(width)
            for index in 0..<count {
                let start = 1 + index * width
                switch content(index) {
                case .token(let token):
                    buffer[start] = UInt8(token.count)
                    _ = UnsafeMutableBufferPointer(rebasing: buffer[(start + 1)...]).update(fromContentsOf: token)
                case .none(let reason): buffer[start + 1] = reason?.rawValue ?? 0
                }
            }
        }
    }
}
