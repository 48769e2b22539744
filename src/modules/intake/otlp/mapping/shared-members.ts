import { stringifyExact } from '../../../../platform/json/index.js';
import type { Attributes, Origin } from '../records.js';
import type { EventProperties } from './event-properties.js';
import { originMembers } from './members.js';

/**
 * The total size of resources and scopes that one request may copy into its events, in characters. The sender writes a
 * resource once, but each event stores a copy. Beyond the limit, events have the property `resource_left_out` instead.
 */
const MAX_REPEATED_CHARACTERS = 8 * 1024 * 1024;

const LEFT_OUT = { resource_left_out: true } as const;

/** The properties that an event takes from its resource and scope. */
export type SharedMembers = typeof LEFT_OUT | { readonly resource?: Attributes; readonly scope?: Attributes };

/** Limits the total size of the resources and scopes that the events of one request repeat. */
export class RepeatedOrigins {
  private left = MAX_REPEATED_CHARACTERS;
  private origin: Origin | undefined;
  private members: ReturnType<typeof originMembers> = {};
  private size = 0;
  private resource: Origin['resource'] | undefined;
  private resourceSize = 0;

  /** Returns the properties for the next event of the origin, and counts their size. */
  next(origin: Origin): SharedMembers {
    if (origin !== this.origin) {
      this.origin = origin;
      this.members = originMembers(origin);
      this.size = this.sizeOfResource(origin) + stringifyExact(this.members.scope ?? {}).length;
    }
    if (this.size > this.left) return LEFT_OUT;
    this.left -= this.size;
    return this.members;
  }

  /** A resource is measured once for all its scopes, of which a request may have thousands. */
  private sizeOfResource({ resource }: Origin): number {
    if (resource !== this.resource) {
      this.resource = resource;
      this.resourceSize = stringifyExact(this.members.resource ?? {}).length;
    }
    return this.resourceSize;
  }
}

export function addShared(shared: SharedMembers, properties: EventProperties): void {
  if ('resource_left_out' in shared) properties.add('resource_left_out', true);
  else properties.add('resource', shared.resource).add('scope', shared.scope);
}
