import type { Firing, ToldOccurrence } from '../../alerts/index.js';
import { cut, ruleOf } from '../firing-rule.js';
import type { LiveRule } from '../live-rules.repository.js';
import type { Series } from '../machine/series.js';
import type { ToldEvent } from '../../../events/event-store/index.js';
import { fittingProperties } from './fitting-properties.js';

/** The most characters of the properties as JSON. There is a limit because alerts are stored and sent many times. */
const MAX_PAYLOAD = 16_384;

export function matchFiring(rule: LiveRule, series: Series, event: ToldEvent, occurrences: number): Firing {
  const { message, payload } = toldOf(rule, event);
  return {
    projectId: rule.projectId,
    rule: ruleOf(rule),
    fingerprint: series.fingerprint,
    groupValues: series.groupValues,
    event: {
      id: event.id,
      type: event.event,
      source: event.source,
      sourceId: event.source_id,
      timestamp: event.timestamp,
      message: event.message,
    },
    message,
    payload,
    occurrences,
  };
}

/** Returns the occurrence that notifications report for an event that a rule has matched. */
export function toldOf(rule: LiveRule, { properties, ...event }: ToldEvent): ToldOccurrence {
  return {
    eventId: event.id,
    eventType: event.event,
    source: event.source,
    sourceId: event.source_id,
    eventAt: event.timestamp.toISOString(),
    eventMessage: event.message,
    message: cut(`${rule.name}: ${event.message ?? event.event}`),
    payload: fittingProperties(properties, MAX_PAYLOAD),
  };
}
