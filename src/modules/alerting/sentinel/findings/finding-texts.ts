import type { Severity } from '../detectors/assessment.js';
import type { FindingKind, SeriesName, FindingSubject } from '../detection/finding-kinds.js';

/** A text shows at most this many characters of a name. */
const MAX_NAME = 120;

const TITLES: Readonly<Record<FindingKind, string>> = {
  rate_spike: 'Spike of events',
  rate_drop: 'Drop of events',
  silence: 'Silence',
  error_burst: 'Burst of errors',
  latency_shift: 'Higher latency',
  new_event_type: 'New event type',
  cardinality_explosion: 'Many more distinct values',
};

export interface Figures {
  readonly actual: number | null;
  readonly expected: number | null;
  readonly severity: Severity;
}

export function titleOf({ kind, series }: FindingSubject): string {
  return series.type === 'project' ? TITLES[kind] : `${TITLES[kind]}: ${nameOf(series)}`;
}

/** Returns a sentence with the numbers of a finding. */
export function summaryOf({ kind, series, metric }: FindingSubject, { actual, expected }: Figures): string {
  const who =
    series.type === 'project'
      ? 'The project'
      : series.type === 'source'
        ? `The source ${nameOf(series)}`
        : nameOf(series);
  const [now, usual] = [figure(actual), figure(expected)];
  switch (kind) {
    case 'rate_spike':
    case 'rate_drop':
      return `${who} had ${now} events in five minutes where ${usual} were expected.`;
    case 'silence':
      return `${who} has had no events where ${usual} were expected every five minutes.`;
    case 'error_burst':
      return `${who} had errors in ${percent(actual)} of its events where ${percent(expected)} are usual.`;
    case 'latency_shift':
      return `${who} had a 95th percentile of ${now} ms where ${usual} ms are usual.`;
    case 'new_event_type':
      return `${who} was seen for the first time.`;
    case 'cardinality_explosion':
      return `${who} had ${now} distinct ${metric === 'endpoints' ? 'endpoints' : 'event types'} in an hour where ${usual} were the most of a week.`;
  }
}

function nameOf({ value }: SeriesName): string {
  const name = value ?? '';
  return name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

function figure(value: number | null): string {
  return value === null ? '0' : String(Math.round(value * 10) / 10);
}

function percent(share: number | null): string {
  return `${Math.round((share ?? 0) * 1_000) / 10} %`;
}
