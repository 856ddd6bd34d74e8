import { replayFailedInBodyEvent, webhookSettingsBodyFilterStructEvents } from '../../generated/enums';

/** eventTypes are the events of calls, which a webhook chooses from. */
export const eventTypes = replayFailedInBodyEvent;

/** deliveredTypes are the events that a delivery may have: a test, too. */
export const deliveredTypes = webhookSettingsBodyFilterStructEvents;

export type EventType = (typeof eventTypes)[number];
export type DeliveredType = (typeof deliveredTypes)[number];
