import Delivery
import FlatMemory
import PoolCore

/// A final rejection needs two connections to agree. A faulty connection rejects all pushes, and valid tokens would be
/// quarantined for good.
extension PushClient {
    /// Sends a rejected push over another connection, or returns it to the caller. Returns false to accept the
    /// rejection.
    func askAnother(_ index: UInt32, _ rejection: Rejection, _ connection: PushConnection) -> Bool {
        let record = pushes.records[Int(index)]
        // A suspect was rejected before, by another connection.
        let isSecond = record.rejectedBy != PushRecord.nobody
        guard closing == nil, isSecond || !record.isSuspect, !sources[record.source].isWithdrawn else { return false }
        let id = connection.id
        if isSecond {
            let isSame = record.rejectedBy == Int32(id.slot) && record.rejectedGeneration == id.generation
            guard isSame, pool.isSick(id) || !pool.isAlone(id) else { return false }
            end(index, .unsent(.noCapacity, mayHaveBeenDelivered: false))
            return true
        }
        if isProbe(index) { probeEnded(served: nil) }
        // The connection for suspects is certainly another one. If many pushes wait for it, the least loaded connection
        // is probably another one.
        pushes.doubted(
            index, slot: id.slot, generation: id.generation,
            asSuspect: pushes.waitingSuspectCount < PushClient.suspectLimit)
        doubts[index] = (pushes.records[Int(index)].sequence, rejection)
        observer?.pushRepeated()
        requestTurn()
        return true
    }

    /// Returns the outcome of a push that a connection has rejected and that no other one was sent: that rejection,
    /// unconfirmed.
    func withDoubt(_ index: UInt32, _ outcome: PushOutcome) -> PushOutcome {
        guard let doubt = doubts.removeValue(forKey: index), doubt.sequence == pushes.records[Int(index)].sequence,
            case .unsent(_, mayHaveBeenDelivered: false) = outcome
        else { return outcome }
        return .rejected(doubt.rejection.unconfirmed)
    }
}
