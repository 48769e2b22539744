import type { ProjectScope } from '../../access/index.js';

/** Tells which alert events belong to an event. Provided by whoever raises alerts; without one there are none. */
export abstract class RelatedAlerts {
  /** Alert events as their own routes answer them, newest first. */
  abstract ofEvent(scope: ProjectScope, eventId: string): Promise<Record<string, unknown>[]>;
}
