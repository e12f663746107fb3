import GatewayStore
import HTTPTypes
import Hummingbird
import LiveActivity
import NIOCore
import Secrets
import ShareCore
import TimeCore

/// Reads a list of insider_ids of any length into an upload. Memory is limited to the upload's buffers, and reading
/// pauses while the store handles a piece.
struct SegmentUploadReader: Sendable {
    let store: any SegmentStore
    /// The time for which a client may send nothing.
    let silence: TimeInterval
    /// The minimum speed while more than half of the places are taken.
    let pace: UploadPace
    let shares: GatewayShares

    /// - Returns: The upload, and the digest of its bytes if the request has a key.
    func read(
        _ customer: CustomerRequest, in place: Share, _ format: InsiderIDListParser.Format
    ) async throws -> (upload: SegmentUpload, digest: [UInt8]) {
        let (request, context) = (customer.http, customer.context)
        context.askForBody(request)
        let watch = UploadWatch(pace, place)
        let memory = Share(of: shares.bodies, for: customer.claimant)
        context.metadata.holds(memory)
        do {
            return try await withThrowingTaskGroup(of: (upload: SegmentUpload, digest: [UInt8])?.self) { group in
                group.addTask {
                    try await collect(request, context, format, watch, memory, isHashed: customer.givenKey != nil)
                }
                group.addTask { throw try await watch.awaitEnd(silence: silence) }
                defer { group.cancelAll() }
                guard let read = try await group.next() ?? nil else { throw APIError.tooSlow }
                return read
            }
        } catch let error as APIError where error.code == .requestTimeout || error.code == .overloaded {
            context.closeSoon()
            throw error
        }
    }

    private func collect(
        _ request: Request, _ context: GatewayContext, _ format: InsiderIDListParser.Format, _ watch: UploadWatch,
        _ memory: Share, isHashed: Bool
    ) async throws -> (upload: SegmentUpload, digest: [UInt8]) {
        var upload = SegmentUpload()
        let digest = isHashed ? RunningDigest() : nil
        do {
            try await fill(&upload, request, context, format, watch, memory, digest)
        } catch {
            await store.discard(upload)
            throw error
        }
        return (upload, Array("\(format)\n".utf8) + (digest?.finish() ?? []))
    }

    private func fill(
        _ upload: inout SegmentUpload, _ request: Request, _ context: GatewayContext,
        _ format: InsiderIDListParser.Format, _ watch: UploadWatch, _ memory: Share, _ digest: RunningDigest?
    ) async throws {
        var parser = InsiderIDListParser(format)
        var run = InsiderIDRun()
        var isEmpty = true
        var pieces = request.body.makeAsyncIterator()
        watch.waits()
        while let piece = try await next(&pieces, context) {
            watch.received(piece.readableBytes)
            guard memory.grow(to: upload.memory(with: piece.readableBytes)) else {
                throw APIError.tooMuchInMemory
            }
            isEmpty = isEmpty && piece.readableBytes == 0
            if let digest { piece.withUnsafeReadableBytes { digest.add($0) } }
            try parse(piece, &parser, &run)
            try await take(&run, into: &upload)
            watch.waits()
        }
        watch.received(0)
        // The end of a connection looks like the end of a body.
        guard !Task.isCancelled, await context.hasWholeBody() else { throw context.brokenOff }
        guard !isEmpty else { throw APIError(.requestInvalid, "the body is empty; send one insider_id a line") }
        do throws(InsiderIDListError) { try parser.finish(into: &run) } catch { throw APIError(error) }
        try await take(&run, into: &upload)
    }

    private func next(
        _ pieces: inout RequestBody.AsyncIterator, _ context: GatewayContext
    ) async throws -> ByteBuffer? {
        do {
            return try await pieces.next()
        } catch {
            context.closeSoon()
            throw context.brokenOff
        }
    }

    private func parse(
        _ piece: ByteBuffer, _ parser: inout InsiderIDListParser, _ run: inout InsiderIDRun
    ) throws(APIError) {
        do throws(InsiderIDListError) {
            try piece.withUnsafeReadableBytes { (bytes) throws(InsiderIDListError) in
                try parser.parse(bytes, into: &run)
            }
        } catch {
            throw APIError(error)
        }
    }

    private func take(_ run: inout InsiderIDRun, into upload: inout SegmentUpload) async throws {
        guard !run.isEmpty else { return }
        guard try await store.take(run, into: &upload) else {
            throw APIError(.requestTooLarge, "the list has more users than a segment can have")
        }
        run.removeAll()
    }
}

extension APIError {
    init(_ error: InsiderIDListError) {
        self.init(.validationFailed, "\(error); nothing has been changed")
    }
}
