// The views by the name of their destination. Each takes what it depends on and answers with what it shows.

import { showActivities } from "./view-activities.js";
import { showActivity } from "./view-activity.js";
import { showBroadcast } from "./view-broadcast.js";
import { showBroadcasts } from "./view-broadcasts.js";
import { showCompose } from "./view-compose.js";
import { showGateway } from "./view-gateway.js";
import { showLimits } from "./view-limits.js";
import { showPhone } from "./view-phone.js";
import { showSegments } from "./view-segments.js";
import { showTenant } from "./view-tenant.js";
import { showTenants } from "./view-tenants.js";
import { showTopic } from "./view-topic.js";
import { showTopics } from "./view-topics.js";
import { showWebhook } from "./view-webhook.js";
import { showWebhooks } from "./view-webhooks.js";

export const VIEWS = {
  gateway: showGateway, tenants: showTenants, tenant: showTenant, broadcasts: showBroadcasts, broadcast: showBroadcast,
  activities: showActivities, activity: showActivity, topics: showTopics, topic: showTopic, segments: showSegments,
  compose: showCompose, phone: showPhone, webhooks: showWebhooks, webhook: showWebhook, limits: showLimits,
};
