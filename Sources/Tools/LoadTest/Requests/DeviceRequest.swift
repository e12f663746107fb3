import NIOCore

/// A prepared request. Writing it for a device copies the bytes and inserts number, identifier, token and signature.
struct DeviceRequest: Sendable {
    private let bytes: [UInt8]
    private let population: Population
    private let purpose: Population.Purpose
    private let number: Int
    private let udid: Int
    private let token: Int?
    private let signer: ReportSigner?
    private let signature: Int

    /// - Parameter fields: The common members of all bodies, each followed by a comma.
    init(_ head: RequestHead, _ population: Population, fields: String, token purpose: Population.Purpose?) {
        self.population = population
        self.purpose = purpose ?? .updateToken
        var body = Array("{\(fields)\"insider_id\":\"\(population.prefix)".utf8)
        let number = body.count
        body += [UInt8](repeating: UInt8(ascii: "0"), count: Population.digits)
        body += "\",\"udid\":\"".utf8
        let udid = body.count
        body += population.udid(0).utf8
        var token: Int?
        if purpose != nil {
            body += "\",\"token\":\"".utf8
            token = body.count
            body += [UInt8](repeating: UInt8(ascii: "0"), count: 64)
        }
        body += "\"}".utf8
        bytes = head.request(body)
        signer = head.signer
        signature = head.signatureAt
        let offset = bytes.count - body.count
        self.number = offset + number
        self.udid = offset + udid
        self.token = token.map { offset + $0 }
    }

    /// Appends the complete request of a device.
    func write(_ device: Int, rotation: Int, to buffer: inout ByteBuffer) {
        let id = population.identifier(device)
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: bytes.count) { target in
            bytes.withUnsafeBytes { target.copyMemory(from: $0) }
            var rest = device
            for index in stride(from: number + Population.digits - 1, through: number, by: -1) {
                target[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            HexadecimalText.put(id, at: udid, in: target)
            if let token {
                let words = population.token(device, purpose, rotation: rotation)
                HexadecimalText.put(words.0, at: token, in: target)
                HexadecimalText.put(words.1, at: token + 16, in: target)
                HexadecimalText.put(words.2, at: token + 32, in: target)
                HexadecimalText.put(words.3, at: token + 48, in: target)
            }
            if let signer {
                let insiderID = number - population.prefix.utf8.count..<number + Population.digits
                let signed = signer.sign(
                    insiderID: UnsafeRawBufferPointer(rebasing: target[insiderID]),
                    udid: UnsafeRawBufferPointer(rebasing: target[udid..<udid + 36]))
                UnsafeMutableRawBufferPointer(rebasing: target[signature...]).copyBytes(from: signed)
            }
            return bytes.count
        }
    }
}
