import type { Trouble } from '../generator.js';

/** A recurring period, such as an incident. */
interface Episode {
  readonly everyMs: number;
  readonly lastsMs: number;
  /** Time from the story's origin to the beginning of one of the episodes. A negative time lies before the origin. */
  readonly firstMs: number;
}

/** How often things happen. */
export interface Pace {
  readonly incident: Episode;
  /** A route that gets slower after a deploy, until the deploy is rolled back. */
  readonly regression: Episode;
  /**
   * A dependency that alternates between down and up every `turnMs`. An episode has an even number of such turns, so
   * that it ends with the dependency up.
   */
  readonly flapping: Episode & { readonly turnMs: number };
  readonly deployEveryMs: number;
  readonly jobEveryMs: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The pace for people who watch. Each episode begins late enough that detectors can compare it with earlier data. */
export const LIVE_PACE: Pace = {
  incident: { everyMs: 5 * MINUTE_MS, lastsMs: 80 * SECOND_MS, firstMs: 100 * SECOND_MS },
  regression: { everyMs: 20 * MINUTE_MS, lastsMs: 7 * MINUTE_MS, firstMs: 4 * MINUTE_MS },
  flapping: { everyMs: 15 * MINUTE_MS, lastsMs: 3 * MINUTE_MS, firstMs: 7 * MINUTE_MS, turnMs: 15 * SECOND_MS },
  deployEveryMs: 9 * MINUTE_MS,
  jobEveryMs: MINUTE_MS,
};
/** The pace of whole days, for past and live events. At the origin the story is in the middle of an incident. */
export const DAILY_PACE: Pace = {
  incident: { everyMs: 11 * HOUR_MS, lastsMs: 30 * MINUTE_MS, firstMs: -12 * MINUTE_MS },
  regression: { everyMs: 168 * HOUR_MS, lastsMs: 40 * HOUR_MS, firstMs: -72 * HOUR_MS },
  flapping: { everyMs: 31 * HOUR_MS, lastsMs: 48 * MINUTE_MS, firstMs: -5 * HOUR_MS, turnMs: 2 * MINUTE_MS },
  deployEveryMs: 9 * HOUR_MS,
  jobEveryMs: 30 * MINUTE_MS,
};

interface Incident {
  readonly name: string;
  readonly trouble: Trouble;
  /** The requests that the incident affects. */
  readonly routes: RegExp;
}

/** The first incident is the one at the origin. It makes so many requests fail that this is unusual at any hour. */
const INCIDENTS: readonly Incident[] = [
  { name: 'the database is down', trouble: { slowdown: 9, failing: 0.8 }, routes: /./ },
  { name: 'the payment provider is down', trouble: { slowdown: 12, failing: 0.6 }, routes: /^\/orders/ },
  { name: 'a deploy broke the cart', trouble: { slowdown: 1, failing: 0.7 }, routes: /^\/cart/ },
  { name: 'the search index is being rebuilt', trouble: { slowdown: 20, failing: 0.15 }, routes: /^\/search/ },
];

export const SLOWER = { service: 'search', route: '/search', atMostTimes: 7 } as const;
export const FLAPPING = { dependency: 'inventory-api', usedBy: 'checkout', routes: /^\/cart\/items/ } as const;

interface Change {
  readonly time: Date;
  readonly isBeginning: boolean;
}

/** Returns the incidents and slowdowns of the shop at a moment. */
export class Story {
  constructor(
    readonly pace: Pace,
    readonly origin: Date,
  ) {}

  incidentAt(time: Date): Incident | undefined {
    const now = this.during(this.pace.incident, time);
    return now && INCIDENTS[modulo(now.number, INCIDENTS.length)];
  }

  isDependencyDownAt(time: Date): boolean {
    const now = this.during(this.pace.flapping, time);
    return now !== undefined && Math.floor(now.sinceMs / this.pace.flapping.turnMs) % 2 === 0;
  }

  /** Returns the combined effect of the incident, the slow deploy and the dependency on the requests of a route. */
  troubleAt(time: Date, route: string): Trouble {
    const incident = this.incidentAt(time);
    let { slowdown, failing } = incident?.routes.test(route) === true ? incident.trouble : { slowdown: 1, failing: 0 };
    const slower = route === SLOWER.route ? this.during(this.pace.regression, time) : undefined;
    if (slower) slowdown *= 1 + ((SLOWER.atMostTimes - 1) * slower.sinceMs) / this.pace.regression.lastsMs;
    if (FLAPPING.routes.test(route) && this.isDependencyDownAt(time)) failing = Math.max(failing, 0.9);
    return { slowdown, failing };
  }

  /** Returns the times after `from` and up to `to` at which the dependency went down or came back. */
  turnsBetween(from: Date, to: Date): Change[] {
    return momentsBetween(from, to, this.pace.flapping.turnMs, this.beginOf(this.pace.flapping))
      .filter((time) => this.during(this.pace.flapping, time) !== undefined)
      .map((time) => ({ time, isBeginning: this.isDependencyDownAt(time) }));
  }

  /**
   * Returns the times after `from` and up to `to` at which a route began to get slower or its slow version was rolled
   * back.
   */
  regressionsBetween(from: Date, to: Date): Change[] {
    const { everyMs, lastsMs } = this.pace.regression;
    const begin = this.beginOf(this.pace.regression);
    return [
      ...momentsBetween(from, to, everyMs, begin).map((time) => ({ time, isBeginning: true })),
      ...momentsBetween(from, to, everyMs, begin + lastsMs).map((time) => ({ time, isBeginning: false })),
    ];
  }

  private beginOf({ firstMs }: Episode): number {
    return this.origin.getTime() + firstMs;
  }

  private during(episode: Episode, time: Date): { number: number; sinceMs: number } | undefined {
    const passed = time.getTime() - this.beginOf(episode);
    const sinceMs = modulo(passed, episode.everyMs);
    return sinceMs < episode.lastsMs ? { number: Math.floor(passed / episode.everyMs), sinceMs } : undefined;
  }
}

/**
 * Returns the times after `from` and up to `to` that are a multiple of `everyMs` away from `phase`, in milliseconds
 * since 1970.
 */
export function momentsBetween(from: Date, to: Date, everyMs: number, phase = 0): Date[] {
  const moments: Date[] = [];
  const first = (Math.floor((from.getTime() - phase) / everyMs) + 1) * everyMs + phase;
  for (let at = first; at <= to.getTime(); at += everyMs) moments.push(new Date(at));
  return moments;
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
