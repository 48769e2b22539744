import type { WrittenJson } from '../../../platform/http/written-json.js';
import type { ProjectScope } from '../../access/index.js';

/** Alert events as their own routes answer them, and the bytes of what may be large of them. */
export interface WrittenAlerts {
  readonly list: WrittenJson<Record<string, unknown>[]>;
  readonly bytes: number;
}

/** Tells which alert events belong to an event. Provided by whoever raises alerts; without one there are none. */
export abstract class RelatedAlerts {
  /** The newest, as many as fit into a page. */
  abstract ofEvent(scope: ProjectScope, eventId: string): Promise<WrittenAlerts>;
}
