import FlatMemory
import TestSupport
import Testing

@Suite("The queue of bytes")
struct ByteQueueTests {
    @Test("gives out what was put in, in order, over growth and moves", arguments: 0..<10 as Range<UInt64>)
    func walk(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = ByteQueue(capacity: 64)
        var model: [UInt8] = []
        for _ in 0..<3_000 {
            if Bool.random(using: &random) {
                let bytes = (0..<Int.random(in: 0...90, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                bytes.withUnsafeBytes { source in
                    let target = queue.extend(by: bytes.count)
                    if let base = source.baseAddress { target.copyMemory(from: base, byteCount: bytes.count) }
                }
                model += bytes
            } else {
                let count = Int.random(in: 0...min(model.count, 120), using: &random)
                queue.taken(count)
                model.removeFirst(count)
            }
            let count = queue.count
            #expect(count == model.count)
            let isEqual = queue.bytes.elementsEqual(model)
            #expect(isEqual)
        }
    }
}
