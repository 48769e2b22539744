import { type Kind, KindField, TextField, uuid, UuidField } from '../../../platform/http/fields/index.js';
import { AskedWindow } from './asked-window.js';
import type { EventFilter } from '../event-store/index.js';

/** A window and exact values of events in it (DECISIONS 11). */
export class EventFilters extends AskedWindow {
  @TextField({ optional: true, max: 200, description: 'Exact event type' })
  event?: string;

  @UuidField({ optional: true, description: 'The Event Source' })
  source_id?: string;

  @TextField({ optional: true, max: 50, description: 'Exact' })
  severity?: string;

  @TextField({ optional: true, max: 100, description: 'Exact' })
  status?: string;

  @TextField({ optional: true, max: 100, description: 'Exact' })
  environment?: string;
}

/** What reads take whose project stands in the query: of the filters, every empty one takes every value. */
export class EventsQuery extends EventFilters {
  @UuidField({})
  project_id!: string;

  @KindField(emptyOr(uuid()), { optional: true, description: 'An Event Source of the project; empty: any or none' })
  declare source_id?: string;
}

/** Empty text takes every value, as a form sends it. */
export function filterOf(filters: EventFilters): EventFilter {
  const { event, source_id, severity, status, environment } = filters;
  const wanted = { event, source_id, severity, status, environment };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined && value !== ''));
}

function emptyOr(kind: Kind<string>): Kind<string> {
  return {
    document: {
      anyOf: [
        { type: 'string', format: kind.document['format'] },
        { type: 'string', maxLength: 0 },
      ],
    },
    build: (readerOf) => {
      const read = kind.build(readerOf);
      return (value, depth) => (value === '' ? '' : read(value, depth));
    },
  };
}
