import Encodings
import Secrets

/// Signs the identity of reporting devices, like a tenant's server.
struct ReportSigner: Sendable {
    private enum Version {
        case one
        /// - Parameter head: `v2.EXPIRY.`
        case two(head: [UInt8])
    }

    private let version: Version
    private let secret: [UInt8]

    /// - Parameter expiry: Epoch seconds with ten digits; nil for version 1.
    init(_ secret: CallKey, expiry: Int64?) {
        self.secret = Array(secret.value.utf8)
        version = expiry.map { .two(head: Array("v2.\($0).".utf8)) } ?? .one
    }

    /// The length of each signature, in bytes.
    var length: Int {
        switch version {
        case .one: 64
        case .two(let head): head.count + 64
        }
    }

    /// Returns the value of the signature field.
    func sign(insiderID: some Collection<UInt8>, udid: some Collection<UInt8>) -> [UInt8] {
        switch version {
        case .one: return digits(Array(insiderID))
        case .two(let head):
            var message = [0xFF] + head.dropLast()
            for name in [Array(insiderID), Array(udid)] { message += Array(".\(name.count):".utf8) + name }
            return head + digits(message)
        }
    }

    private func digits(_ message: [UInt8]) -> [UInt8] {
        Array(Hexadecimal.encode(Digest.hmacSHA256(key: secret, message)).utf8)
    }
}

/// The credential of a tenant's devices.
struct DeviceCredential: Sendable {
    let key: CallKey
    /// Nil if the devices report without signatures.
    let signer: ReportSigner?

    /// - Parameter secret: The tenant's identity secret; nil if its devices need none.
    init(sdkKey: String, _ secret: String?, _ target: LoadTarget) throws(LoadTestError) {
        key = try CallKey(sdkKey, name: "an SDK key")
        guard let secret else {
            signer = nil
            return
        }
        guard (1...2).contains(target.signatureVersion) else {
            throw LoadTestError("--signature-version must be 1 or 2")
        }
        signer = ReportSigner(
            try CallKey(secret, name: "an identity secret"),
            expiry: target.signatureVersion == 1 ? nil : target.signatureExpiry)
    }
}
