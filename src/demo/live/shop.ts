import { type GeneratedEvent, requestEvent, type Trouble } from '../generator.js';
import type { Random } from '../random.js';
import { ENVIRONMENT, type RequestKind, REQUESTS } from '../traffic.js';

/** The origins of the shop's events. Each has its own Event Source if the plan allows that many. */
export const ORIGINS = ['Web', 'Mobile app', 'Jobs'] as const;
export type Origin = (typeof ORIGINS)[number];

export interface ShopEvent {
  readonly origin: Origin;
  readonly event: GeneratedEvent;
}

/** How often incidents, deploys and jobs happen. */
export interface Pace {
  readonly incidentEveryMs: number;
  readonly incidentLastsMs: number;
  readonly deployEveryMs: number;
  readonly jobEveryMs: number;
}

const MINUTE_MS = 60_000;
export const LIVE_PACE: Pace = {
  incidentEveryMs: 5 * MINUTE_MS,
  incidentLastsMs: 80_000,
  deployEveryMs: 9 * MINUTE_MS,
  jobEveryMs: MINUTE_MS,
};
/** The pace of a past day of some thousand events. */
export const PAST_PACE: Pace = {
  incidentEveryMs: 180 * MINUTE_MS,
  incidentLastsMs: 12 * MINUTE_MS,
  deployEveryMs: 240 * MINUTE_MS,
  jobEveryMs: 30 * MINUTE_MS,
};

export interface Incident {
  readonly name: string;
  readonly trouble: Trouble;
  /** The requests that the incident affects. */
  readonly routes: RegExp;
}

const INCIDENTS: readonly Incident[] = [
  { name: 'the payment provider is away', trouble: { slowdown: 12, failing: 0.6 }, routes: /^\/orders/ },
  { name: 'the database is slow', trouble: { slowdown: 9, failing: 0.05 }, routes: /./ },
  { name: 'a deploy broke the cart', trouble: { slowdown: 1, failing: 0.7 }, routes: /^\/cart/ },
  { name: 'the search index is being built anew', trouble: { slowdown: 20, failing: 0.15 }, routes: /^\/search/ },
];

interface Person {
  readonly id: string;
  readonly plan: 'free' | 'pro';
  readonly country: string;
  readonly origin: Origin;
  /** The next step of this person. */
  stage: 'browsing' | 'cart' | 'order';
}

const COUNTRIES = ['DE', 'DE', 'FR', 'US', 'US', 'IN', 'BR'] as const;
const PEOPLE = 60;
/** Chance to move from one stage to the next; everybody else continues to browse. */
const GOES_ON = { browsing: 0.18, cart: 0.45, order: 0.85 } as const;

/** A web shop with people who browse, order and pay, with jobs, deploys and occasional incidents. */
export class Shop {
  private readonly people: readonly Person[];
  private made = 0;

  constructor(
    private readonly random: Random,
    private readonly pace: Pace,
    /** The prefix of the ids, which makes them unique. */
    private readonly name: string,
  ) {
    this.people = Array.from({ length: PEOPLE }, (_, index) => ({
      id: `u-${1000 + index * 7}`,
      plan: random.next() < 0.3 ? 'pro' : 'free',
      country: random.pick(COUNTRIES),
      origin: random.next() < 0.35 ? 'Mobile app' : 'Web',
      stage: 'browsing',
    }));
  }

  /** Returns the incident at that time, if there is one. */
  incidentAt(time: Date): Incident | undefined {
    const { incidentEveryMs, incidentLastsMs } = this.pace;
    const sinceBegin = time.getTime() % incidentEveryMs;
    // The incident starts later in the interval: detectors compare it with the time before.
    const begins = incidentEveryMs / 3;
    if (sinceBegin < begins || sinceBegin >= begins + incidentLastsMs) return undefined;
    return INCIDENTS[Math.floor(time.getTime() / incidentEveryMs) % INCIDENTS.length];
  }

  /** Returns the one or two events of something that a person does. */
  act(time: Date): ShopEvent[] {
    const person = this.random.pick(this.people);
    const goesOn = this.random.next() < GOES_ON[person.stage];
    if (!goesOn) {
      person.stage = 'browsing';
      return [this.request(person, this.random.weighted(REQUESTS), time)];
    }
    if (person.stage === 'browsing') {
      person.stage = 'cart';
      return this.step(person, time, { route: '/cart/items', event: 'cart.opened' });
    }
    if (person.stage === 'cart') {
      person.stage = 'order';
      return this.step(person, time, { route: '/orders', event: 'order.placed' });
    }
    person.stage = 'browsing';
    const isPaid = this.random.next() > (this.incidentAt(time)?.routes.test('/orders') === true ? 0.7 : 0.04);
    return [
      this.told(person.origin, time, {
        event_type: isPaid ? 'payment.settled' : 'payment.failed',
        severity: isPaid ? 'info' : 'error',
        status: isPaid ? 'success' : 'failed',
        message: isPaid ? 'Paid' : 'The payment provider refused the card',
        payload: { ...factsOf(person), amount: 10 + this.random.below(300) },
      }),
    ];
  }

  /** Returns the scheduled events, jobs and deploys, between two times. */
  byTheClock(from: Date, to: Date): ShopEvent[] {
    const events: ShopEvent[] = [];
    for (const time of momentsBetween(from, to, this.pace.jobEveryMs)) {
      const isLate = this.incidentAt(time) !== undefined;
      events.push(
        this.told('Jobs', time, {
          event_type: 'job.finished',
          severity: isLate ? 'warning' : 'info',
          message: 'Stock levels compared',
          payload: { job: 'stock-sync', duration_ms: (isLate ? 9_000 : 900) + this.random.below(400) },
        }),
      );
    }
    for (const time of momentsBetween(from, to, this.pace.deployEveryMs)) {
      const version = `1.${Math.floor(time.getTime() / this.pace.deployEveryMs) % 500}.0`;
      events.push(
        this.told('Jobs', time, {
          event_type: 'deploy.finished',
          message: `Version ${version} is out`,
          payload: { version, by: this.random.pick(['ann', 'bob', 'cyd']) },
        }),
      );
    }
    return events;
  }

  private step(person: Person, time: Date, { route, event }: { route: string; event: string }): ShopEvent[] {
    const kind = REQUESTS.find((each) => each.method === 'POST' && each.route === route);
    if (kind === undefined) throw new RangeError(`no request goes to ${route}`);
    const request = this.request(person, kind, time);
    if (Number(request.event.payload.status_code) >= 400) {
      person.stage = 'browsing';
      return [request];
    }
    const amount = 10 + this.random.below(300);
    return [request, this.told(person.origin, time, { event_type: event, payload: { ...factsOf(person), amount } })];
  }

  private request(person: Person, kind: RequestKind, time: Date): ShopEvent {
    const incident = this.incidentAt(time);
    const trouble = incident?.routes.test(kind.route) === true ? incident.trouble : undefined;
    const event = requestEvent(kind, { time, id: this.nextId(), ...(trouble && { trouble }) }, this.random);
    const source = person.origin === 'Mobile app' ? 'app' : event.source;
    return { origin: person.origin, event: { ...event, source, payload: { ...event.payload, ...factsOf(person) } } };
  }

  private told(
    origin: Origin,
    time: Date,
    facts: Pick<GeneratedEvent, 'event_type' | 'payload'> & Partial<GeneratedEvent>,
  ): ShopEvent {
    const event = {
      source: origin === 'Jobs' ? 'jobs' : origin === 'Mobile app' ? 'app' : 'web-1',
      event_id: this.nextId(),
      // One millisecond after the request that caused the event.
      timestamp: new Date(time.getTime() + 1).toISOString(),
      severity: 'info',
      message: facts.event_type,
      status: 'success',
      environment: ENVIRONMENT,
      ...facts,
    };
    return { origin, event };
  }

  private nextId(): string {
    this.made += 1;
    return `${this.name}-${this.made}`;
  }
}

function factsOf({ id, plan, country }: Person): Record<string, string> {
  return { user: id, plan, country };
}

/** Returns the multiples of an interval, after the first time and up to the last. */
function momentsBetween(from: Date, to: Date, everyMs: number): Date[] {
  const moments: Date[] = [];
  for (let at = Math.floor(from.getTime() / everyMs + 1) * everyMs; at <= to.getTime(); at += everyMs)
    moments.push(new Date(at));
  return moments;
}
