// Written by scripts/store_scripts from the Lua files.
import RedisClient

extension Scripts {
    static let all: [RedisScript] = [
        claimExternalActivityScript, confirmRemovalScript, confirmSlotsScript, listActivityScript, makeActivityScript,
        reserveSlotsScript, unlistActivitiesScript, unlockScript, amendBroadcastScript, beginBroadcastScript,
        cancelScript, closeStartScript, finishPageScript, noteBroadcastScript, noteOutcomesScript, noteReadingScript,
        openPartitionScript, openStartScript, recordOutcomesScript, releaseDoubtedScript, supersedeListScript,
        takeLastTimestampScript, beginChannelScript, doomChannelScript, dropChannelScript, forgetChannelsScript,
        leaseChannelsScript, noteStrangersScript, putChannelScript, takeChannelScript, claimTokenScript,
        claimTokensScript, dropTokenScript, importDevicesScript, markReachedScript, markTokenScript, noteHandOverScript,
        putDeviceScript, releaseTokenScript, settleTokenScript, beginDirectScript, finishDirectScript,
        renewDirectScript, showDirectScript, concludeErasureScript, noteLeavingScript, noteMembersScript,
        setAsideScript, addWebhookScript, changeWebhookScript, deleteWebhookScript, findDeliveriesOfUserScript,
        findEventsOfUserScript, findUnpublishedPagesScript, forgetDeliveryScript, leaseDeliveriesScript,
        publishEventsScript, readEventsScript, replaceEventScript, resealWebhookScript, resendDeadLettersScript,
        rotateWebhookScript, settleDeliveryScript, switchStreamScript, takeDeliveriesScript, leaseFeedScript,
        notePollScript, answerIdempotencyKeyScript, claimIdempotencyKeyScript, noteAnswerScript, addLateEndScript,
        beginJobScript, completeJobScript, dropStartPagesScript, finishBroadcastScript, forgetVanishedScript,
        giveBackItemsScript, removeJobScript, renewJobsScript, takeJobsScript, deleteFieldScript,
        exchangeProviderTokenScript, returnTokenLeaseScript, addRequestsScript, addUsageScript, noteUseScript,
        openActivityScript, releaseSchedulesScript, reserveScheduleScript, slowDownScript, takePermitsScript,
        countStatesScript, findNewestUpdateScript, findTokenScript, hasMetScript, keepFormerTokensScript,
        nameLiveActivityScript, noteMetScript, noteTapScript, putUpdateCellScript, readFormerTokensScript,
        showAgainScript, findToHealScript, postponeHealingScript, prepareRestartScript, renewLockScript,
        addStartCellsScript, clearUpdateCellScript, joinUserScript, leaveUserScript, placeDeviceScript,
        putStartCellScript, readCellsScript, readPagesScript, replaceIdentitiesScript, replaceUpdateTokenScript,
        takeSlotScript, addScheduleScript, changeScheduleScript, concludeScheduleScript, deleteSegmentScript,
        installSegmentScript, takeOverSegmentCleanupScript, admitScript, changeTenantScript, forgetSecretsScript,
        putCredentialScript, resealSecretsScript, rotateSecretScript, concludeTopicScript, deleteTopicScript,
        findCardlessScript, findWishesScript, followTopicScript, forgetFollowerScript, leaseTopicScript,
        noteCandidateScript, noteDriveScript, noteFollowScript, noteStartsScript, putTopicScript, queueFollowersScript,
        releaseTopicScript, reserveTopicSlotsScript, settleFollowersScript,
    ]
}
