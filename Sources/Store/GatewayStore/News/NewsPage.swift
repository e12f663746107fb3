/// The content of a news board at a moment: four bytes for each place, which change with each announcement.
public struct NewsPage: Equatable, Sendable {
    static let bytesOfPlace = 4

    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The places that differ from an earlier page; all places without one. A page that Redis has lost counts as all
    /// zeros.
    /// - Parameter places: The number of places.
    public func changes(since earlier: NewsPage?, places: Int) -> [Int] {
        guard let earlier else { return Array(0..<places) }
        guard bytes != earlier.bytes else { return [] }
        return (0..<places).filter { word($0) != earlier.word($0) }
    }

    private func word(_ place: Int) -> UInt32 {
        let first = place * NewsPage.bytesOfPlace
        return (first..<(first + NewsPage.bytesOfPlace)).reduce(0) {
            $0 << 8 | ($1 < bytes.count ? UInt32(bytes[$1]) : 0)
        }
    }
}
