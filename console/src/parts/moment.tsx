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
  /** As the API writes it. */
  readonly at: string;
  readonly clockOnly?: boolean;
  /** Without the year, for rows. */
  readonly isShort?: boolean;
}

/** A time in the zone of whoever looks, with UTC on hover. */
export function Moment({ at, clockOnly = false, isShort = false }: Props) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={`${date.toISOString()} (UTC)`} className="numbers">
      {(clockOnly ? CLOCK : isShort ? SHORT : IN_ZONE).format(date)}
    </time>
  );
}
