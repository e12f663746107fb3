#include "CConsoleAssets.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// Written by scripts/console_assets.py, a row for each file.

static const unsigned char file_advice_js[] = {
#embed "assets/advice.js"
};

static const unsigned char file_api_js[] = {
#embed "assets/api.js"
};

static const unsigned char file_bars_js[] = {
#embed "assets/bars.js"
};

static const unsigned char file_board_js[] = {
#embed "assets/board.js"
};

static const unsigned char file_broadcast_panel_js[] = {
#embed "assets/broadcast-panel.js"
};

static const unsigned char file_chart_js[] = {
#embed "/usr/share/javascript/chart.js/chart.min.js"
};

static const unsigned char file_compose_form_js[] = {
#embed "assets/compose-form.js"
};

static const unsigned char file_compose_restart_js[] = {
#embed "assets/compose-restart.js"
};

static const unsigned char file_compose_run_js[] = {
#embed "assets/compose-run.js"
};

static const unsigned char file_compose_schedule_js[] = {
#embed "assets/compose-schedule.js"
};

static const unsigned char file_compose_send_js[] = {
#embed "assets/compose-send.js"
};

static const unsigned char file_compose_topic_js[] = {
#embed "assets/compose-topic.js"
};

static const unsigned char file_compose_update_js[] = {
#embed "assets/compose-update.js"
};

static const unsigned char file_console_css[] = {
#embed "assets/console.css"
};

static const unsigned char file_counts_js[] = {
#embed "assets/counts.js"
};

static const unsigned char file_dead_letters_js[] = {
#embed "assets/dead-letters.js"
};

static const unsigned char file_device_listing_js[] = {
#embed "assets/device-listing.js"
};

static const unsigned char file_dialog_js[] = {
#embed "assets/dialog.js"
};

static const unsigned char file_dom_js[] = {
#embed "assets/dom.js"
};

static const unsigned char file_draft_js[] = {
#embed "assets/draft.js"
};

static const unsigned char file_end_activity_js[] = {
#embed "assets/end-activity.js"
};

static const unsigned char file_erase_user_js[] = {
#embed "assets/erase-user.js"
};

static const unsigned char file_event_stream_js[] = {
#embed "assets/event-stream.js"
};

static const unsigned char file_follow_js[] = {
#embed "assets/follow.js"
};

static const unsigned char file_form_js[] = {
#embed "assets/form.js"
};

static const unsigned char file_format_js[] = {
#embed "assets/format.js"
};

static const unsigned char file_gateway_details_js[] = {
#embed "assets/gateway-details.js"
};

static const unsigned char file_icons_js[] = {
#embed "assets/icons.js"
};

static const unsigned char file_index_html[] = {
#embed "assets/index.html"
};

static const unsigned char file_json_text_js[] = {
#embed "assets/json-text.js"
};

static const unsigned char file_limit_editor_js[] = {
#embed "assets/limit-editor.js"
};

static const unsigned char file_main_js[] = {
#embed "assets/main.js"
};

static const unsigned char file_metrics_js[] = {
#embed "assets/metrics.js"
};

static const unsigned char file_names_js[] = {
#embed "assets/names.js"
};

static const unsigned char file_notice_js[] = {
#embed "assets/notice.js"
};

static const unsigned char file_parts_css[] = {
#embed "assets/parts.css"
};

static const unsigned char file_parts_js[] = {
#embed "assets/parts.js"
};

static const unsigned char file_plots_js[] = {
#embed "assets/plots.js"
};

static const unsigned char file_poll_js[] = {
#embed "assets/poll.js"
};

static const unsigned char file_preview_model_js[] = {
#embed "assets/preview-model.js"
};

static const unsigned char file_preview_css[] = {
#embed "assets/preview.css"
};

static const unsigned char file_preview_js[] = {
#embed "assets/preview.js"
};

static const unsigned char file_push_history_js[] = {
#embed "assets/push-history.js"
};

static const unsigned char file_rates_js[] = {
#embed "assets/rates.js"
};

static const unsigned char file_readings_js[] = {
#embed "assets/readings.js"
};

static const unsigned char file_requests_js[] = {
#embed "assets/requests.js"
};

static const unsigned char file_router_js[] = {
#embed "assets/router.js"
};

static const unsigned char file_schedule_time_js[] = {
#embed "assets/schedule-time.js"
};

static const unsigned char file_schedules_js[] = {
#embed "assets/schedules.js"
};

static const unsigned char file_scope_js[] = {
#embed "assets/scope.js"
};

static const unsigned char file_session_js[] = {
#embed "assets/session.js"
};

static const unsigned char file_shell_js[] = {
#embed "assets/shell.js"
};

static const unsigned char file_silence_js[] = {
#embed "assets/silence.js"
};

static const unsigned char file_sync_parts_js[] = {
#embed "assets/sync-parts.js"
};

static const unsigned char file_table_js[] = {
#embed "assets/table.js"
};

static const unsigned char file_templates_js[] = {
#embed "assets/templates.js"
};

static const unsigned char file_theme_css[] = {
#embed "assets/theme.css"
};

static const unsigned char file_theme_js[] = {
#embed "assets/theme.js"
};

static const unsigned char file_timeline_js[] = {
#embed "assets/timeline.js"
};

static const unsigned char file_topic_work_js[] = {
#embed "assets/topic-work.js"
};

static const unsigned char file_upload_dialog_js[] = {
#embed "assets/upload-dialog.js"
};

static const unsigned char file_upload_js[] = {
#embed "assets/upload.js"
};

static const unsigned char file_view_activities_js[] = {
#embed "assets/view-activities.js"
};

static const unsigned char file_view_activity_js[] = {
#embed "assets/view-activity.js"
};

static const unsigned char file_view_broadcast_js[] = {
#embed "assets/view-broadcast.js"
};

static const unsigned char file_view_broadcasts_js[] = {
#embed "assets/view-broadcasts.js"
};

static const unsigned char file_view_compose_js[] = {
#embed "assets/view-compose.js"
};

static const unsigned char file_view_gateway_js[] = {
#embed "assets/view-gateway.js"
};

static const unsigned char file_view_limits_js[] = {
#embed "assets/view-limits.js"
};

static const unsigned char file_view_phone_js[] = {
#embed "assets/view-phone.js"
};

static const unsigned char file_view_segments_js[] = {
#embed "assets/view-segments.js"
};

static const unsigned char file_view_signin_js[] = {
#embed "assets/view-signin.js"
};

static const unsigned char file_view_tenant_js[] = {
#embed "assets/view-tenant.js"
};

static const unsigned char file_view_tenants_js[] = {
#embed "assets/view-tenants.js"
};

static const unsigned char file_view_topic_js[] = {
#embed "assets/view-topic.js"
};

static const unsigned char file_view_topics_js[] = {
#embed "assets/view-topics.js"
};

static const unsigned char file_view_webhook_js[] = {
#embed "assets/view-webhook.js"
};

static const unsigned char file_view_webhooks_js[] = {
#embed "assets/view-webhooks.js"
};

static const unsigned char file_views_js[] = {
#embed "assets/views.js"
};

static const unsigned char file_window_js[] = {
#embed "assets/window.js"
};

static const unsigned char file_wish_js[] = {
#embed "assets/wish.js"
};

#define ASSET(name, bytes) {name, bytes, sizeof bytes}

static const struct console_asset assets[] = {
    ASSET("advice.js", file_advice_js),
    ASSET("api.js", file_api_js),
    ASSET("bars.js", file_bars_js),
    ASSET("board.js", file_board_js),
    ASSET("broadcast-panel.js", file_broadcast_panel_js),
    ASSET("chart.js", file_chart_js),
    ASSET("compose-form.js", file_compose_form_js),
    ASSET("compose-restart.js", file_compose_restart_js),
    ASSET("compose-run.js", file_compose_run_js),
    ASSET("compose-schedule.js", file_compose_schedule_js),
    ASSET("compose-send.js", file_compose_send_js),
    ASSET("compose-topic.js", file_compose_topic_js),
    ASSET("compose-update.js", file_compose_update_js),
    ASSET("console.css", file_console_css),
    ASSET("counts.js", file_counts_js),
    ASSET("dead-letters.js", file_dead_letters_js),
    ASSET("device-listing.js", file_device_listing_js),
    ASSET("dialog.js", file_dialog_js),
    ASSET("dom.js", file_dom_js),
    ASSET("draft.js", file_draft_js),
    ASSET("end-activity.js", file_end_activity_js),
    ASSET("erase-user.js", file_erase_user_js),
    ASSET("event-stream.js", file_event_stream_js),
    ASSET("follow.js", file_follow_js),
    ASSET("form.js", file_form_js),
    ASSET("format.js", file_format_js),
    ASSET("gateway-details.js", file_gateway_details_js),
    ASSET("icons.js", file_icons_js),
    ASSET("index.html", file_index_html),
    ASSET("json-text.js", file_json_text_js),
    ASSET("limit-editor.js", file_limit_editor_js),
    ASSET("main.js", file_main_js),
    ASSET("metrics.js", file_metrics_js),
    ASSET("names.js", file_names_js),
    ASSET("notice.js", file_notice_js),
    ASSET("parts.css", file_parts_css),
    ASSET("parts.js", file_parts_js),
    ASSET("plots.js", file_plots_js),
    ASSET("poll.js", file_poll_js),
    ASSET("preview-model.js", file_preview_model_js),
    ASSET("preview.css", file_preview_css),
    ASSET("preview.js", file_preview_js),
    ASSET("push-history.js", file_push_history_js),
    ASSET("rates.js", file_rates_js),
    ASSET("readings.js", file_readings_js),
    ASSET("requests.js", file_requests_js),
    ASSET("router.js", file_router_js),
    ASSET("schedule-time.js", file_schedule_time_js),
    ASSET("schedules.js", file_schedules_js),
    ASSET("scope.js", file_scope_js),
    ASSET("session.js", file_session_js),
    ASSET("shell.js", file_shell_js),
    ASSET("silence.js", file_silence_js),
    ASSET("sync-parts.js", file_sync_parts_js),
    ASSET("table.js", file_table_js),
    ASSET("templates.js", file_templates_js),
    ASSET("theme.css", file_theme_css),
    ASSET("theme.js", file_theme_js),
    ASSET("timeline.js", file_timeline_js),
    ASSET("topic-work.js", file_topic_work_js),
    ASSET("upload-dialog.js", file_upload_dialog_js),
    ASSET("upload.js", file_upload_js),
    ASSET("view-activities.js", file_view_activities_js),
    ASSET("view-activity.js", file_view_activity_js),
    ASSET("view-broadcast.js", file_view_broadcast_js),
    ASSET("view-broadcasts.js", file_view_broadcasts_js),
    ASSET("view-compose.js", file_view_compose_js),
    ASSET("view-gateway.js", file_view_gateway_js),
    ASSET("view-limits.js", file_view_limits_js),
    ASSET("view-phone.js", file_view_phone_js),
    ASSET("view-segments.js", file_view_segments_js),
    ASSET("view-signin.js", file_view_signin_js),
    ASSET("view-tenant.js", file_view_tenant_js),
    ASSET("view-tenants.js", file_view_tenants_js),
    ASSET("view-topic.js", file_view_topic_js),
    ASSET("view-topics.js", file_view_topics_js),
    ASSET("view-webhook.js", file_view_webhook_js),
    ASSET("view-webhooks.js", file_view_webhooks_js),
    ASSET("views.js", file_views_js),
    ASSET("window.js", file_window_js),
    ASSET("wish.js", file_wish_js),
};

size_t console_asset_count(void) { return sizeof assets / sizeof *assets; }

struct console_asset console_asset(size_t index) {
  static const struct console_asset none;
  return index < console_asset_count() ? assets[index] : none;
}
