import { type GeneratedEvent, requestEvent } from '../generator.js';
import type { Random } from '../random.js';
import { ENVIRONMENT, loadAt, type RequestKind, REQUESTS } from '../traffic.js';
import { faultOf, type Service, serviceOf, SERVICES, stackOf } from './services.js';
import { FLAPPING, momentsBetween, SLOWER, type Story } from './story.js';

export interface ShopEvent {
  readonly service: Service;
  readonly event: GeneratedEvent;
}

interface Person {
  readonly id: string;
  readonly plan: 'free' | 'pro';
  readonly country: string;
  readonly client: 'browser' | 'app';
  /** The stage decides what this person may do next: add to the cart, place an order, or pay. */
  stage: 'browsing' | 'cart' | 'order';
}

type Facts = Pick<GeneratedEvent, 'event_type' | 'message' | 'payload'> & Partial<GeneratedEvent>;

const COUNTRIES = ['DE', 'DE', 'FR', 'US', 'US', 'IN', 'BR'] as const;
const PEOPLE = 60;
/**
 * The probability that a person completes a stage. Otherwise the person makes another request and starts from browsing.
 */
const CHANCE_TO_ADVANCE = { browsing: 0.18, cart: 0.45, order: 0.85 } as const;
const BAD = { severity: 'error', status: 'failed' } as const;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The load of a Saturday or Sunday, as a share of the load of a working day. */
const WEEKEND_LOAD = 0.6;
/** Average number of events that one action produces. */
const EVENTS_PER_ACTION = 1.22;

/** Approximate number of events of jobs, deploys and the dependency in a day at `DAILY_PACE`. */
export const SCHEDULED_EVENTS_PER_DAY = 70;

/** Returns the actions per second at the busiest hour with which the days before `end` get about `events` events. */
export function busiestRate(events: number, days: number, end: Date): number {
  let busiestHours = 0;
  for (let hour = 0; hour < days * 24; hour += 1) busiestHours += loadOf(end.getTime() - (hour + 0.5) * HOUR_MS);
  const actions = Math.max(0, events - days * SCHEDULED_EVENTS_PER_DAY) / EVENTS_PER_ACTION;
  return actions / (busiestHours * (HOUR_MS / 1_000));
}

/** A web shop: people browse, order and pay, and jobs and deploys run. The story adds the incidents. */
export class Shop {
  private readonly people: readonly Person[];
  private made = 0;

  constructor(
    private readonly random: Random,
    readonly story: Story,
    /** The prefix of the event ids. Event ids must be unique in a project. */
    private readonly name: string,
  ) {
    this.people = Array.from({ length: PEOPLE }, (_, index) => ({
      id: `u-${1000 + index * 7}`,
      plan: random.next() < 0.3 ? 'pro' : 'free',
      country: random.pick(COUNTRIES),
      client: random.next() < 0.35 ? 'app' : 'browser',
      stage: 'browsing',
    }));
  }

  /**
   * Returns the events between two times, in order.
   * @param rate actions per second at the busiest hour, see {@link busiestRate}
   */
  between(from: Date, to: Date, rate: number): ShopEvent[] {
    const spanMs = to.getTime() - from.getTime();
    const candidates = Math.floor((rate * spanMs) / 1_000 + this.random.next());
    const times = Array.from({ length: candidates }, () => from.getTime() + Math.ceil(this.random.next() * spanMs) - 1)
      .filter((time) => this.random.next() < loadOf(time))
      .sort((a, b) => a - b);
    const events = [...times.flatMap((time) => this.action(new Date(time))), ...this.scheduled(from, to)];
    return events.sort((a, b) => Date.parse(a.event.timestamp) - Date.parse(b.event.timestamp));
  }

  /** Returns the events of one action of a person. */
  private action(time: Date): ShopEvent[] {
    const person = this.random.pick(this.people);
    const { stage } = person;
    person.stage = 'browsing';
    if (this.random.next() >= CHANCE_TO_ADVANCE[stage])
      return this.request(person, this.random.weighted(REQUESTS), time);
    if (stage === 'browsing')
      return this.step(person, time, { route: '/cart/items', event: 'cart.opened', next: 'cart' });
    if (stage === 'cart') return this.step(person, time, { route: '/orders', event: 'order.placed', next: 'order' });
    const isPaid = this.random.next() > (this.story.incidentAt(time)?.routes.test('/orders') === true ? 0.7 : 0.04);
    const paid = { ...factsOf(person), amount: 10 + this.random.below(300) };
    if (isPaid)
      return [this.eventOf('checkout', time, { event_type: 'payment.settled', message: 'Paid', payload: paid })];
    const message = 'The payment provider refused the card';
    return [this.eventOf('checkout', time, { ...BAD, event_type: 'payment.failed', message, payload: paid })];
  }

  private step(
    person: Person,
    time: Date,
    { route, event, next }: { route: string; event: string; next: Person['stage'] },
  ): ShopEvent[] {
    const kind = REQUESTS.find((each) => each.method === 'POST' && each.route === route);
    if (kind === undefined) throw new RangeError(`no request goes to ${route}`);
    const events = this.request(person, kind, time);
    if (Number(events[0]?.event.payload.status_code) >= 400) return events;
    person.stage = next;
    const payload = { ...factsOf(person), amount: 10 + this.random.below(300) };
    return [...events, this.eventOf('checkout', time, { event_type: event, message: event, payload })];
  }

  /** Returns the event of a request and, if the request failed, the event of the exception. */
  private request(person: Person, kind: RequestKind, time: Date): ShopEvent[] {
    const service = serviceOf(kind.route);
    const trouble = this.story.troubleAt(time, kind.route);
    const made = requestEvent(kind, { time, id: this.nextId(), trouble }, this.random);
    const request = { ...made, source: service, payload: { ...made.payload, ...factsOf(person) } };
    if (request.event_type !== 'http.error') return [{ service, event: request }];
    const isDown = FLAPPING.routes.test(kind.route) && this.story.isDependencyDownAt(time);
    const fault = faultOf(service, isDown);
    const message = `${fault.type}: ${fault.message}`;
    const exception = this.eventOf(service, time, {
      ...BAD,
      event_type: 'exception',
      message,
      payload: {
        'exception.type': fault.type,
        'exception.message': fault.message,
        'exception.stacktrace': stackOf(fault),
        route: kind.route,
        ...factsOf(person),
      },
    });
    return [{ service, event: { ...request, message } }, exception];
  }

  /** Returns the events of jobs, deploys and the dependency between two times. */
  private scheduled(from: Date, to: Date): ShopEvent[] {
    const { jobEveryMs, deployEveryMs } = this.story.pace;
    const versionAt = (time: Date): string => `1.${Math.floor(time.getTime() / deployEveryMs) % 500}.0`;
    const jobs = momentsBetween(from, to, jobEveryMs).map((time) => {
      const isLate = this.story.incidentAt(time) !== undefined;
      return this.eventOf('jobs', time, {
        event_type: 'job.finished',
        severity: isLate ? 'warning' : 'info',
        message: 'Stock levels compared',
        payload: { job: 'stock-sync', duration_ms: (isLate ? 9_000 : 900) + this.random.below(400) },
      });
    });
    const deploys = momentsBetween(from, to, deployEveryMs).map((time) => {
      const service = this.random.pick(SERVICES);
      return this.deploy(time, 'deploy.finished', service, `Version ${versionAt(time)} of ${service} is out`);
    });
    const regressions = this.story.regressionsBetween(from, to).map(({ time, isBeginning }) => {
      const { service } = SLOWER;
      return isBeginning
        ? this.deploy(time, 'deploy.finished', service, `Version ${versionAt(time)} of ${service} is out`)
        : this.deploy(time, 'deploy.rolled_back', service, `The slow version of ${service} is rolled back`);
    });
    const turns = this.story.turnsBetween(from, to).map(({ time, isBeginning }) => {
      const { dependency, usedBy } = FLAPPING;
      const payload = { dependency };
      return isBeginning
        ? this.eventOf(usedBy, time, {
            ...BAD,
            event_type: 'dependency.down',
            message: `${dependency} is down`,
            payload,
          })
        : this.eventOf(usedBy, time, { event_type: 'dependency.up', message: `${dependency} is up`, payload });
    });
    return [...jobs, ...deploys, ...regressions, ...turns];
  }

  private deploy(time: Date, event_type: string, service: Service, message: string): ShopEvent {
    return this.eventOf('jobs', time, {
      event_type,
      message,
      payload: { service, by: this.random.pick(['ann', 'bob', 'cyd']) },
    });
  }

  private eventOf(service: Service, time: Date, facts: Facts): ShopEvent {
    const event = {
      source: service,
      event_id: this.nextId(),
      // The event follows one millisecond after the request that caused it.
      timestamp: new Date(time.getTime() + 1).toISOString(),
      severity: 'info',
      status: 'success',
      environment: ENVIRONMENT,
      ...facts,
    };
    return { service, event };
  }

  private nextId(): string {
    this.made += 1;
    return `${this.name}-${this.made}`;
  }
}

function factsOf({ id, plan, country, client }: Person): Record<string, string> {
  return { user: id, plan, country, client };
}

/** Returns the load as a share of the busiest load. It is lower at night and at the weekend, by UTC. */
function loadOf(time: number): number {
  const day = new Date(time).getUTCDay();
  return loadAt((time % DAY_MS) / HOUR_MS) * (day === 0 || day === 6 ? WEEKEND_LOAD : 1);
}
