import Delivery
import FlatMemory
import PoolCore

/// What would be final is believed when two connections say it: one that is out of order rejects whatever it is given,
/// and live tokens would be set aside for good.
extension PushClient {
    /// Gives a push that this connection has rejected to another one, or else back to the caller; false when the
    /// rejection is to be believed.
    func askAnother(_ index: UInt32, _ rejection: Rejection, _ connection: PushConnection) -> Bool {
        let record = pushes.records[Int(index)]
        // A suspect has been rejected before, by another connection.
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
        // Those for suspects are another connection for sure; when many wait for it, the least loaded one is likely to
        // be.
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
