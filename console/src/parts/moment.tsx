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
