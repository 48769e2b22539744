import { type Kind, KindField, TextField, uuid, UuidField } from '../../../platform/http/validation/index.js';
import { AskedWindow } from './time-range.js';
import type { EventFilter } from '../event-store/index.js';

/** The parameters that select a time window and exact values of its events. */
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

/** The query parameters of reads that name the project in the query. An empty filter matches every value. */
export class ProjectEventFilters extends EventFilters {
  @UuidField({})
  project_id!: string;

  @KindField(emptyOr(uuid()), {
    optional: true,
    description: 'An Event Source of the project. Empty: events with and without a source',
  })
  declare source_id?: string;
}

/** Returns the filters that are set. A form sends empty text for a filter that is not set. */
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
