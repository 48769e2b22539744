import type { WrittenJson } from '../../../platform/http/written-json.js';
import type { ProjectScope } from '../../access/index.js';

/** Alert events as the alert endpoints return them, and the size of their large parts in bytes. */
export interface WrittenAlerts {
  readonly list: WrittenJson<Record<string, unknown>[]>;
  readonly bytes: number;
}

/** A port that the alerts module implements. Without an implementation, an event has no alert events. */
export abstract class RelatedAlerts {
  /** Returns the newest alert events that belong to the event, as many as fit into a page. */
  abstract ofEvent(scope: ProjectScope, eventId: string): Promise<WrittenAlerts>;
}
