import RedisClient

/// The atomic steps, each a Lua script that runs on the node of its keys. They compare and set; the rules that decide
/// stand in `LiveActivity`.
enum Scripts {
    static let all: [RedisScript] = [
        admit, putDevice, reserveSlots, confirmSlots, beginBroadcast, cancel, putStartCell, addStartCells,
        putUpdateCell, clearUpdateCell, readCells, dropToken, claimIdempotencyKey, nextTimestamp, unlock, nameCard,
        exchangeProviderToken, takeJobs, renewJobs, isJobDue, completeJob, removeJob, sealBroadcast, forgetVanished,
        openPartition,
        finishPage, addLateEnd, makeActivity, openStart, recordOutcomes, releaseDoubted, closeStart,
        amendBroadcast, noteBroadcast,
        addSchedule, changeSchedule, concludeSchedule, readForUpdate, newestUpdate, hasMet, noteMet,
        installSegment, deleteSegment, takeOverSegmentChore,
        changeTenant, rotateSecret, forgetSecrets, putCredential,
        prepareRestart, dropStartPages, renewLock, findToHeal, postponeHealing,
        noteOutcomes, countStates, noteTap, claimExternalActivity, takeSlot, joinUser, placeDevice,
        markToken, claimToken, settleToken, releaseToken,
    ]

    /// What the scripts that touch token pages share: see `TokenPage` for the form of a page.
    static let cells = """
        local function width_of(key)
            return string.byte(redis.call('GETRANGE', key, 0, 0))
        end

        -- The content of a cell: '' and the reason when it has none, nil when the page is not there; and the page's width.
        local function read_cell(key, index)
            local width = width_of(key)
            if not width then return nil, 0 end
            local start = 1 + index * width
            local cell = redis.call('GETRANGE', key, start, start + width - 1)
            local length = string.byte(cell, 1) or 0
            if length == 0 then return '', string.byte(cell, 2) or 0, width end
            return string.sub(cell, 2, 1 + length), 0, width
        end

        -- Cells of one width after another, rewritten to a greater one.
        local function widened(cells, old, new)
            local parts = {}
            local padding = string.rep('\\0', new - old)
            for start = 1, #cells, old do
                parts[#parts + 1] = string.sub(cells, start, start + old - 1)
                parts[#parts + 1] = padding
            end
            return table.concat(parts)
        end

        -- A page that is not there is made with cells for all slots that have a fate: to a value that grows Redis gives
        -- up to twice the memory that it needs. Whoever has read from the page hands over its width.
        local function write_cell(key, index, cell, fates, expires_at, width)
            width = width or width_of(key)
            if not width then
                width = #cell
                local cells = string.rep('\\0', width * math.max(redis.call('STRLEN', fates), index + 1))
                redis.call('SET', key, string.char(width) .. cells, 'PXAT', expires_at)
            elseif #cell > width then
                local cells = widened(redis.call('GETRANGE', key, 1, -1), width, #cell)
                width = #cell
                redis.call('SET', key, string.char(width) .. cells, 'KEEPTTL')
            end
            redis.call('SETRANGE', key, 1 + index * width, cell .. string.rep('\\0', width - #cell))
        end

        """
}
