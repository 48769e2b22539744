import { brokenRule } from '../../../platform/http/fields/index.js';
import type { EventFilter, TimeWindow } from '../totals/index.js';
import { rangeWindow } from '../../tenancy/projects/index.js';
import type { EventFilters } from './explorer.dto.js';

/**
 * The window of a request: from_ts and to_ts win over the range, which otherwise ends at to_ts or now.
 * @param place of the fields, for the refusal of a window that ends before it begins
 */
export function windowOf(
  { range, from_ts, to_ts }: Pick<EventFilters, 'range' | 'from_ts' | 'to_ts'>,
  now: Date,
  place: 'query' | 'body',
): TimeWindow {
  if (from_ts !== undefined && to_ts !== undefined && from_ts > to_ts) {
    throw brokenRule([place, 'to_ts'], 'to_ts must not be before from_ts', to_ts.toISOString());
  }
  // Left out, the end is now, this very millisecond included.
  const end = new Date(now.getTime() + 1);
  const to = to_ts ?? (from_ts !== undefined && from_ts > end ? from_ts : end);
  const from = from_ts ?? rangeWindow(range, to).from;
  return { from: from > to ? to : from, to };
}

/** Empty text takes every value, as a form sends it. */
export function filterOf(filters: EventFilters): EventFilter {
  const { event, source_id, severity, status, environment } = filters;
  const wanted = { event, source_id, severity, status, environment };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined && value !== ''));
}
