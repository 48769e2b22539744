import { EventsLink } from '../../parts/events-link.js';
import { whole } from '../../parts/numbers.js';

interface Props {
  /** A condition in EQL for the counted events. Undefined: no condition selects them. */
  readonly where: string | undefined;
  readonly children: number;
}

/** Shows a number of events as a link to them. */
export function Count({ where, children: count }: Props) {
  if (where === undefined || count === 0) return whole(count);
  return (
    <EventsLink inherit underline="always" search={{ where }} title="Show the events">
      {whole(count)}
    </EventsLink>
  );
}
