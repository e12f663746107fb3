import CNghttp2
import PushProtocol

/// The header fields of a push, as libnghttp2 takes them. They are laid out once for a template and provider token;
/// from push to push only `:path` and `apns-id` change.
///
/// Everything but those two is handed over by address: template and provider token outlive the stream.
final class HTTP2Request {
    private static let pathPrefix: StaticString = "/3/device/"
    private static let fieldLimit = 16
    /// The position of `:path`, whose length changes.
    private static let path = 0

    private let fields = UnsafeMutablePointer<nghttp2_nv>.allocate(capacity: HTTP2Request.fieldLimit)
    private let authority: UnsafeMutableBufferPointer<UInt8>
    private let pathText: UnsafeMutablePointer<UInt8>
    private let identifierText = UnsafeMutablePointer<UInt8>.allocate(capacity: PushIdentifier.textLength)
    private var count = 0
    private var template: PushTemplate?
    private var providerToken: ProviderToken?
    /// The last provider tokens, because a stream that waits inside the library still refers to its own.
    private var providerTokens: [ProviderToken] = []

    init(authority text: String) {
        authority = .allocate(capacity: text.utf8.count)
        _ = authority.initialize(from: text.utf8)
        let prefix = HTTP2Request.pathPrefix
        pathText = .allocate(capacity: prefix.utf8CodeUnitCount + HTTP2Session.tokenLimit * 2)
        pathText.initialize(from: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
    }

    deinit {
        fields.deallocate()
        authority.deallocate()
        pathText.deallocate()
        identifierText.deallocate()
    }

    /// The fields of one push; valid until the next call.
    func fields(
        _ template: PushTemplate, _ providerToken: ProviderToken, _ deviceToken: UnsafeRawBufferPointer,
        _ slot: UInt32
    ) -> UnsafeBufferPointer<nghttp2_nv> {
        if self.template !== template || self.providerToken !== providerToken { layOut(template, providerToken) }
        let prefix = HTTP2Request.pathPrefix.utf8CodeUnitCount
        Hexadecimal.write(deviceToken, to: pathText + prefix)
        fields[HTTP2Request.path].valuelen = prefix + deviceToken.count * 2
        Hexadecimal.write(slot, to: identifierText + PushIdentifier.prefixLength)
        return UnsafeBufferPointer(start: fields, count: count)
    }

    private func layOut(_ template: PushTemplate, _ providerToken: ProviderToken) {
        if self.providerToken !== providerToken {
            self.providerToken = providerToken
            providerTokens.append(providerToken)
            if providerTokens.count > 8 { providerTokens.removeFirst() }
        }
        self.template = template
        identifierText.initialize(
            from: template.identifierPrefix.assumingMemoryBound(to: UInt8.self).baseAddress.unsafelyUnwrapped,
            count: PushIdentifier.prefixLength)
        count = 0
        // Different for each push: a literal that no table keeps, copied by the library.
        append(":path", UnsafePointer(pathText), 0, isConstant: false)
        append(":method", "POST")
        append(":scheme", "https")
        append(":authority", UnsafePointer(authority.baseAddress.unsafelyUnwrapped), authority.count)
        let token = providerToken.authorization
        append("authorization", token.baseAddress.unsafelyUnwrapped, token.count)
        for field in template.fields {
            let value = field.value.assumingMemoryBound(to: UInt8.self)
            append(field.name, value.baseAddress.unsafelyUnwrapped, value.count)
        }
        append("apns-id", UnsafePointer(identifierText), PushIdentifier.textLength, isConstant: false)
    }

    private func append(_ name: StaticString, _ value: StaticString) {
        append(name, value.utf8Start, value.utf8CodeUnitCount)
    }

    private func append(
        _ name: StaticString, _ value: UnsafePointer<UInt8>, _ length: Int, isConstant: Bool = true
    ) {
        guard count < HTTP2Request.fieldLimit else { return }
        let changing = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_INDEX.rawValue
        let constant = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
        fields[count] = nghttp2_nv(
            name: UnsafeMutablePointer(mutating: name.utf8Start), value: UnsafeMutablePointer(mutating: value),
            namelen: name.utf8CodeUnitCount, valuelen: length, flags: UInt8(isConstant ? constant : changing))
        count += 1
    }
}
