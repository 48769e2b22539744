import { useClock } from './zone.js';

interface Props {
  /** A timestamp of the API. */
  readonly at: string;
  readonly clockOnly?: boolean;
  /** Leaves the year out, for rows. */
  readonly isShort?: boolean;
}

/** Shows a time in the time zone of the page, with UTC on hover. */
export function Moment({ at, clockOnly = false, isShort = false }: Props) {
  const clock = useClock();
  return (
    <time dateTime={at} title={`${new Date(at).toISOString()} (UTC)`} className="numbers">
      {(clockOnly ? clock.timeWithSeconds : isShort ? clock.short : clock.full)(at)}
    </time>
  );
}

const UNITS = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
] as const;
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'always', style: 'short' });

/** Shows how long ago a past time was, with the time itself on hover. */
export function Ago({ at }: { readonly at: string }) {
  const clock = useClock();
  const seconds = Math.max(0, (Date.now() - Date.parse(at)) / 1000);
  const largest = UNITS.find((each) => seconds >= each.seconds) ?? { unit: 'second', seconds: 1 };
  return (
    <time dateTime={at} title={`${clock.full(at)} (${clock.zone})`} className="numbers">
      {RELATIVE.format(-Math.floor(seconds / largest.seconds), largest.unit)}
    </time>
  );
}
