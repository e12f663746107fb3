#include "CStoreScripts.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char scripts[] = {
#embed "../GatewayStore/Activities/Lua/claim-external-activity.lua" suffix(, 0,)
#embed "../GatewayStore/Activities/Lua/confirm-slots.lua" suffix(, 0,)
#embed "../GatewayStore/Activities/Lua/make-activity.lua" suffix(, 0,)
#embed "../GatewayStore/Activities/Lua/reserve-slots.lua" suffix(, 0,)
#embed "../GatewayStore/Activities/Lua/slot-ranges.lua" suffix(, 0,)
#embed "../GatewayStore/Activities/Lua/unlock.lua" suffix(, 0,)

#embed "../GatewayStore/Broadcasts/Lua/amend-broadcast.lua" suffix(, 0,)
#embed "../GatewayStore/Broadcasts/Lua/begin-broadcast.lua" suffix(, 0,)
#embed "../GatewayStore/Broadcasts/Lua/cancel.lua" suffix(, 0,)
#embed "../GatewayStore/Broadcasts/Lua/catch-up.lua" suffix(, 0,)
#embed "../GatewayStore/Broadcasts/Lua/close-start.lua" suffix(, 0,)
#embed "../GatewayStore/Broadcasts/Lua/doubts.lua" suffix(, 0,)
#embed "../GatewayStore/Broadcasts/Lua/find-next-timestamp.lua" suffix(, 0,)
#embed "../GatewayStore/Broadcasts/Lua/finish-page.lua" suffix(, 0,)
#embed "../GatewayStore/Broadcasts/Lua/known-outcomes.lua" suffix(, 0,)
#embed "../GatewayStore/Broadcasts/Lua/note-broadcast.lua" suffix(, 0,)
#embed "../GatewayStore/Broadcasts/Lua/note-outcomes.lua" suffix(, 0,)
#embed "../GatewayStore/Broadcasts/Lua/note-reading.lua" suffix(, 0,)
#embed "../GatewayStore/Broadcasts/Lua/open-partition.lua" suffix(, 0,)
#embed "../GatewayStore/Broadcasts/Lua/open-start.lua" suffix(, 0,)
#embed "../GatewayStore/Broadcasts/Lua/pacing.lua" suffix(, 0,)
#embed "../GatewayStore/Broadcasts/Lua/partition-jobs.lua" suffix(, 0,)
#embed "../GatewayStore/Broadcasts/Lua/progress.lua" suffix(, 0,)
#embed "../GatewayStore/Broadcasts/Lua/record-outcomes.lua" suffix(, 0,)
#embed "../GatewayStore/Broadcasts/Lua/release-doubted.lua" suffix(, 0,)
#embed "../GatewayStore/Broadcasts/Lua/superseding.lua" suffix(, 0,)
#embed "../GatewayStore/Broadcasts/Lua/timestamps.lua" suffix(, 0,)
#embed "../GatewayStore/Broadcasts/Lua/untold.lua" suffix(, 0,)

#embed "../GatewayStore/Devices/Lua/claim-token.lua" suffix(, 0,)
#embed "../GatewayStore/Devices/Lua/drop-token.lua" suffix(, 0,)
#embed "../GatewayStore/Devices/Lua/mark-token.lua" suffix(, 0,)
#embed "../GatewayStore/Devices/Lua/put-device.lua" suffix(, 0,)
#embed "../GatewayStore/Devices/Lua/release-token.lua" suffix(, 0,)
#embed "../GatewayStore/Devices/Lua/report-times.lua" suffix(, 0,)
#embed "../GatewayStore/Devices/Lua/settle-token.lua" suffix(, 0,)

#embed "../GatewayStore/Events/Lua/add-webhook.lua" suffix(, 0,)
#embed "../GatewayStore/Events/Lua/change-webhook.lua" suffix(, 0,)
#embed "../GatewayStore/Events/Lua/dead-letters.lua" suffix(, 0,)
#embed "../GatewayStore/Events/Lua/delete-webhook.lua" suffix(, 0,)
#embed "../GatewayStore/Events/Lua/event-switch.lua" suffix(, 0,)
#embed "../GatewayStore/Events/Lua/find-unpublished-pages.lua" suffix(, 0,)
#embed "../GatewayStore/Events/Lua/lease-deliveries.lua" suffix(, 0,)
#embed "../GatewayStore/Events/Lua/publish-events.lua" suffix(, 0,)
#embed "../GatewayStore/Events/Lua/resend-dead-letters.lua" suffix(, 0,)
#embed "../GatewayStore/Events/Lua/rotate-webhook.lua" suffix(, 0,)
#embed "../GatewayStore/Events/Lua/settle-delivery.lua" suffix(, 0,)
#embed "../GatewayStore/Events/Lua/switch-stream.lua" suffix(, 0,)
#embed "../GatewayStore/Events/Lua/take-deliveries.lua" suffix(, 0,)

#embed "../GatewayStore/Idempotency/Lua/claim-idempotency-key.lua" suffix(, 0,)

#embed "../GatewayStore/Jobs/Lua/add-job.lua" suffix(, 0,)
#embed "../GatewayStore/Jobs/Lua/add-late-end.lua" suffix(, 0,)
#embed "../GatewayStore/Jobs/Lua/begin-job.lua" suffix(, 0,)
#embed "../GatewayStore/Jobs/Lua/complete-job.lua" suffix(, 0,)
#embed "../GatewayStore/Jobs/Lua/drop-start-pages.lua" suffix(, 0,)
#embed "../GatewayStore/Jobs/Lua/finish-broadcast.lua" suffix(, 0,)
#embed "../GatewayStore/Jobs/Lua/forget-vanished.lua" suffix(, 0,)
#embed "../GatewayStore/Jobs/Lua/job-entries.lua" suffix(, 0,)
#embed "../GatewayStore/Jobs/Lua/remove-job.lua" suffix(, 0,)
#embed "../GatewayStore/Jobs/Lua/renew-jobs.lua" suffix(, 0,)
#embed "../GatewayStore/Jobs/Lua/take-jobs.lua" suffix(, 0,)

#embed "../GatewayStore/Layout/Lua/cell-writing.lua" suffix(, 0,)
#embed "../GatewayStore/Layout/Lua/cells.lua" suffix(, 0,)
#embed "../GatewayStore/Layout/Lua/delivery-statuses.lua" suffix(, 0,)
#embed "../GatewayStore/Layout/Lua/outcome-kinds.lua" suffix(, 0,)
#embed "../GatewayStore/Layout/Lua/outcomes.lua" suffix(, 0,)

#embed "../GatewayStore/ProviderTokens/Lua/exchange-provider-token.lua" suffix(, 0,)

#embed "../GatewayStore/Reading/Lua/count-states.lua" suffix(, 0,)

#embed "../GatewayStore/Reports/Lua/dismissals.lua" suffix(, 0,)
#embed "../GatewayStore/Reports/Lua/find-newest-update.lua" suffix(, 0,)
#embed "../GatewayStore/Reports/Lua/has-met.lua" suffix(, 0,)
#embed "../GatewayStore/Reports/Lua/name-live-activity.lua" suffix(, 0,)
#embed "../GatewayStore/Reports/Lua/note-met.lua" suffix(, 0,)
#embed "../GatewayStore/Reports/Lua/note-tap.lua" suffix(, 0,)
#embed "../GatewayStore/Reports/Lua/put-update-cell.lua" suffix(, 0,)

#embed "../GatewayStore/Restarts/Lua/find-to-heal.lua" suffix(, 0,)
#embed "../GatewayStore/Restarts/Lua/healing.lua" suffix(, 0,)
#embed "../GatewayStore/Restarts/Lua/postpone-healing.lua" suffix(, 0,)
#embed "../GatewayStore/Restarts/Lua/prepare-restart.lua" suffix(, 0,)
#embed "../GatewayStore/Restarts/Lua/renew-lock.lua" suffix(, 0,)
#embed "../GatewayStore/Restarts/Lua/restart-marks.lua" suffix(, 0,)

#embed "../GatewayStore/Roster/Lua/add-start-cells.lua" suffix(, 0,)
#embed "../GatewayStore/Roster/Lua/clear-update-cell.lua" suffix(, 0,)
#embed "../GatewayStore/Roster/Lua/join-user.lua" suffix(, 0,)
#embed "../GatewayStore/Roster/Lua/place-device.lua" suffix(, 0,)
#embed "../GatewayStore/Roster/Lua/put-start-cell.lua" suffix(, 0,)
#embed "../GatewayStore/Roster/Lua/read-cells.lua" suffix(, 0,)
#embed "../GatewayStore/Roster/Lua/take-slot.lua" suffix(, 0,)

#embed "../GatewayStore/Schedules/Lua/add-schedule.lua" suffix(, 0,)
#embed "../GatewayStore/Schedules/Lua/change-schedule.lua" suffix(, 0,)
#embed "../GatewayStore/Schedules/Lua/conclude-schedule.lua" suffix(, 0,)
#embed "../GatewayStore/Schedules/Lua/schedules.lua" suffix(, 0,)

#embed "../GatewayStore/Segments/Lua/delete-segment.lua" suffix(, 0,)
#embed "../GatewayStore/Segments/Lua/install-segment.lua" suffix(, 0,)
#embed "../GatewayStore/Segments/Lua/segment-cleanups.lua" suffix(, 0,)
#embed "../GatewayStore/Segments/Lua/take-over-segment-cleanup.lua" suffix(, 0,)

#embed "../GatewayStore/Tenants/Lua/admit.lua" suffix(, 0,)
#embed "../GatewayStore/Tenants/Lua/change-tenant.lua" suffix(, 0,)
#embed "../GatewayStore/Tenants/Lua/forget-secrets.lua" suffix(, 0,)
#embed "../GatewayStore/Tenants/Lua/put-credential.lua" suffix(, 0,)
#embed "../GatewayStore/Tenants/Lua/rotate-secret.lua" suffix(, 0,)
};

const unsigned char *store_scripts_bytes(void) { return scripts; }

size_t store_scripts_length(void) { return sizeof scripts; }
