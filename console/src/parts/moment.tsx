const IN_ZONE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' });

interface Props {
  /** As the API writes it. */
  readonly at: string;
  readonly clockOnly?: boolean;
}

/** A time in the zone of whoever looks, with UTC on hover. */
export function Moment({ at, clockOnly = false }: Props) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={`${date.toISOString()} (UTC)`} className="numbers">
      {(clockOnly ? CLOCK : IN_ZONE).format(date)}
    </time>
  );
}
