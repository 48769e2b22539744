const IN_ZONE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' });

const SHORT = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

interface Props {
  /** A timestamp of the API. */
  readonly at: string;
  readonly clockOnly?: boolean;
  /** Leaves the year out, for rows. */
  readonly isShort?: boolean;
}

/** Shows a time in the viewer's time zone, with UTC on hover. */
export function Moment({ at, clockOnly = false, isShort = false }: Props) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={`${date.toISOString()} (UTC)`} className="numbers">
      {(clockOnly ? CLOCK : isShort ? SHORT : IN_ZONE).format(date)}
    </time>
  );
}
