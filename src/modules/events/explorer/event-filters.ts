import type { EventFilter } from '../totals/index.js';
import type { EventFilters } from './explorer.dto.js';

/** Empty text takes every value, as a form sends it. */
export function filterOf(filters: EventFilters): EventFilter {
  const { event, source_id, severity, status, environment } = filters;
  const wanted = { event, source_id, severity, status, environment };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined && value !== ''));
}
