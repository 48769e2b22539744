const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A range of event timestamps. `from` is included, `to` is not. */
export interface TimeWindow {
  readonly from: Date;
  readonly to: Date;
}

/**
 * Rows of a part of an hour. They are added where the counted hours end within the window, and subtracted where the
 * hours extend beyond it.
 */
export interface Edge extends TimeWindow {
  readonly sign: 1 | -1;
}

export interface Coverage {
  /** Whole hours that are read from the rollups. Null when only rows are read. */
  readonly hours: TimeWindow | null;
  readonly edges: readonly Edge[];
}

interface Side {
  readonly at: number;
  /** The number of milliseconds whose rows have to be read. */
  readonly cost: number;
  readonly edge: readonly Edge[];
}

/**
 * Divides a window into whole hours and edges so that the fewest rows are read. An edge is never longer than half an
 * hour. The rest of the current hour has few events, so it is subtracted rather than adding the part before it.
 */
export function coverageOf(window: TimeWindow, now: Date): Coverage {
  const [from, to] = [window.from.getTime(), window.to.getTime()];
  const fromRows: Coverage = { hours: null, edges: [{ ...window, sign: 1 }] };
  if (from >= to) return fromRows;
  const rowsIn = (start: number, end: number): number => Math.max(0, Math.min(end, now.getTime()) - start);
  const edge = (start: number, end: number, sign: 1 | -1): readonly Edge[] =>
    start < end ? [{ from: new Date(start), to: new Date(end), sign }] : [];

  const [firstInside, firstOutside] = [ceilHour(from), floorHour(from)];
  const head = cheaper(
    { at: firstInside, cost: rowsIn(from, firstInside), edge: edge(from, firstInside, 1) },
    { at: firstOutside, cost: rowsIn(firstOutside, from), edge: edge(firstOutside, from, -1) },
  );
  const [lastInside, lastOutside] = [floorHour(to), ceilHour(to)];
  const tail = cheaper(
    { at: lastInside, cost: rowsIn(lastInside, to), edge: edge(lastInside, to, 1) },
    { at: lastOutside, cost: rowsIn(to, lastOutside), edge: edge(to, lastOutside, -1) },
  );
  if (head.at >= tail.at || rowsIn(from, to) <= head.cost + tail.cost) return fromRows;
  return { hours: { from: new Date(head.at), to: new Date(tail.at) }, edges: [...head.edge, ...tail.edge] };
}

/**
 * Divides whole hours into whole UTC days and hours. `days` is null when no whole day saves reads. The hours are added
 * to the days, or subtracted where the days extend beyond the window, whichever are fewer. Future hours count as empty.
 */
export function wholeDays(hours: TimeWindow, now: Date): { days: TimeWindow | null; hours: readonly Edge[] } {
  const [from, to] = [hours.from.getTime(), hours.to.getTime()];
  const span = (start: number, end: number): number => Math.max(0, Math.min(end, now.getTime()) - start);
  const edge = (start: number, end: number, sign: 1 | -1): readonly Edge[] =>
    start < end ? [{ from: new Date(start), to: new Date(end), sign }] : [];

  const [firstInside, firstOutside] = [ceilDay(from), floorDay(from)];
  const head = cheaper(
    { at: firstInside, cost: span(from, firstInside), edge: edge(from, firstInside, 1) },
    { at: firstOutside, cost: span(firstOutside, from), edge: edge(firstOutside, from, -1) },
  );
  const [lastInside, lastOutside] = [floorDay(to), ceilDay(to)];
  const tail = cheaper(
    { at: lastInside, cost: span(lastInside, to), edge: edge(lastInside, to, 1) },
    { at: lastOutside, cost: span(to, lastOutside), edge: edge(to, lastOutside, -1) },
  );
  if (head.at >= tail.at || span(from, to) <= head.cost + tail.cost)
    return { days: null, hours: [{ ...hours, sign: 1 }] };
  return { days: { from: new Date(head.at), to: new Date(tail.at) }, hours: [...head.edge, ...tail.edge] };
}

/** Returns the whole hours that contain everything that {@link coverageOf} reads for a window. */
export function wholeHours({ from, to }: TimeWindow): TimeWindow {
  return { from: new Date(floorHour(from.getTime())), to: new Date(ceilHour(to.getTime())) };
}

function floorHour(ms: number): number {
  return Math.floor(ms / HOUR_MS) * HOUR_MS;
}

function floorDay(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

function ceilDay(ms: number): number {
  return Math.ceil(ms / DAY_MS) * DAY_MS;
}

function ceilHour(ms: number): number {
  return Math.ceil(ms / HOUR_MS) * HOUR_MS;
}

function cheaper(a: Side, b: Side): Side {
  return b.cost < a.cost ? b : a;
}
