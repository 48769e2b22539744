import type { Of } from '../records.js';
import { type JsonMessage, list, message } from './members.js';
import { resourceOf, scopeOf } from './values.js';

/** The names of the three lists in an export request of a signal. */
export interface GroupNames {
  readonly resources: string;
  readonly scopes: string;
  readonly records: string;
}

/** Reads an export request in JSON. @throws UndecodableBody */
export function* recordsOf<Item>(
  body: unknown,
  { resources, scopes, records }: GroupNames,
  read: (record: JsonMessage) => Item,
): Generator<Of<Item>, void> {
  for (const resourceGroup of list(message(body)[resources])) {
    const group = message(resourceGroup);
    const resource = resourceOf(group['resource']);
    for (const scopeGroup of list(group[scopes])) {
      const inner = message(scopeGroup);
      const origin = { resource, scope: scopeOf(inner['scope']) };
      for (const record of list(inner[records])) yield { origin, item: read(message(record)) };
    }
  }
}
