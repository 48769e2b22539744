import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../api-client.js';
import { DemoError } from '../demo-error.js';
import { type Random, randomFrom } from '../random.js';
import { BatchSender, type EventLine } from '../sender.js';
import { printable } from '../table.js';
import { loadAt } from '../traffic.js';
import type { SignIn, Workspace } from '../workspace.js';
import { startReceiver } from './receiver.js';
import { LIVE_PACE, type Origin, PAST_PACE, Shop, type ShopEvent } from './shop.js';
import { surround } from './surroundings.js';

export interface LiveOptions {
  readonly client: ApiClient;
  readonly signIn: SignIn;
  readonly workspace: Workspace;
  readonly seed: number;
  /** Number of events of the day before. */
  readonly count: number;
  readonly print: (line: string) => void;
  /** Ends the demo. */
  readonly signal: AbortSignal;
}

const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;
const TICK_MS = 1_000;
/** Acts per second at the busiest hour, which make about five events. */
const ACTS_A_SECOND = 4;
/** Average number of events per act. */
const EVENTS_AN_ACT = 1.25;
const TOLD_EACH_MS = 60_000;

/**
 * Sends a shop's events, at most about five a second, until the signal aborts. @throws DemoError when the service
 * accepts no more events
 */
export async function keepGoing(options: LiveOptions): Promise<void> {
  const { workspace, print, signal } = options;
  const random = randomFrom(options.seed ^ Date.now());
  const receiver = await startReceiver();
  try {
    const { keys } = await surround({ ...options, receiverUrl: receiver.url });
    const outlet = new Outlet(options.client, keys, workspace.apiKey, print);
    // Event ids are unique in the project for ever.
    const run = Date.now().toString(36);
    await outlet.send(past(new Shop(random, PAST_PACE, `past-${run}`), options.count, random));
    print(`The day before is there: ${outlet.accepted} events. Events keep coming until Ctrl+C.`);
    await goOn(new Shop(random, LIVE_PACE, `live-${run}`), { outlet, random, print, signal });
  } finally {
    receiver.close();
  }
}

/** Returns about `count` events of the last day, oldest first, more of them in the busy hours. */
function past(shop: Shop, count: number, random: Random): ShopEvent[] {
  const end = new Date();
  const begin = new Date(end.getTime() - DAY_MS);
  const acts: Date[] = [];
  while (acts.length < count / EVENTS_AN_ACT) {
    const time = new Date(begin.getTime() + Math.floor(random.next() * DAY_MS));
    if (random.next() < loadOf(time)) acts.push(time);
  }
  acts.sort((a, b) => a.getTime() - b.getTime());
  const events = [...acts.flatMap((time) => shop.act(time)), ...shop.byTheClock(begin, end)];
  return events.sort((a, b) => (a.event.timestamp < b.event.timestamp ? -1 : 1)).slice(0, count);
}

function loadOf(time: Date): number {
  return loadAt((time.getTime() % DAY_MS) / HOUR_MS);
}

interface Going {
  readonly outlet: Outlet;
  readonly random: Random;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}

async function goOn(shop: Shop, { outlet, random, print, signal }: Going): Promise<void> {
  let [last, told] = [new Date(), Date.now()];
  let before: string | undefined;
  while (!signal.aborted) {
    await delay(TICK_MS, undefined, { signal }).catch(() => undefined);
    const now = new Date();
    const incident = shop.incidentAt(now)?.name;
    if (incident !== before) print(`${clock(now)}  ${incident ?? 'all is well again'}`);
    before = incident;
    await outlet.send(tick(shop, last, now, random));
    last = now;
    if (now.getTime() - told >= TOLD_EACH_MS) {
      print(`${clock(now)}  ${outlet.accepted} events`);
      told = now.getTime();
    }
  }
}

/** Returns what happens between two times, in order. Time that the machine slept is not made up for. */
function tick(shop: Shop, from: Date, to: Date, random: Random): ShopEvent[] {
  const span = Math.min(to.getTime() - from.getTime(), 2 * TICK_MS);
  const expected = ACTS_A_SECOND * loadOf(to) * (span / TICK_MS);
  const acts = Math.floor(expected + random.next());
  const times = Array.from({ length: acts }, () => to.getTime() - 2 - random.below(Math.max(1, span - 2)));
  const events = times.sort((a, b) => a - b).flatMap((time) => shop.act(new Date(time)));
  return [...events, ...shop.byTheClock(new Date(to.getTime() - span), to)];
}

function clock(time: Date): string {
  return time.toTimeString().slice(0, 8);
}

/** Sends each event with the key of its origin. */
class Outlet {
  accepted = 0;
  private readonly senders = new Map<string, BatchSender>();

  constructor(
    private readonly client: ApiClient,
    private readonly keys: ReadonlyMap<Origin, string>,
    private readonly otherKey: string,
    private readonly print: (line: string) => void,
  ) {}

  /** @throws DemoError when the service refuses an event permanently */
  async send(events: readonly ShopEvent[]): Promise<void> {
    const byKey = new Map<string, ShopEvent[]>();
    for (const event of events) {
      const key = this.keys.get(event.origin) ?? this.otherKey;
      byKey.set(key, [...(byKey.get(key) ?? []), event]);
    }
    await Promise.all([...byKey].map(([key, ofKey]) => this.sendBy(key, ofKey)));
  }

  private async sendBy(apiKey: string, events: readonly ShopEvent[]): Promise<void> {
    const sender = this.senderOf(apiKey);
    await sender.send(linesOf(events), (outcome) => {
      if (!outcome.accepted) throw new DemoError(`${printable(outcome.reason)}\n${WHERE_TO_GO_ON}`);
      this.accepted += 1;
    });
  }

  private senderOf(apiKey: string): BatchSender {
    const known = this.senders.get(apiKey);
    if (known !== undefined) return known;
    const sender = new BatchSender({
      client: this.client,
      apiKey,
      concurrency: 1,
      onPause: (seconds, reason) => this.print(`waiting ${seconds} s: ${printable(reason)}`),
    });
    this.senders.set(apiKey, sender);
    return sender;
  }
}

const WHERE_TO_GO_ON = `What a free organization may send in a month lasts for about half an hour. Stop the service and run this
again: the demo then starts one where its organization has a larger plan.`;

async function* linesOf(events: readonly ShopEvent[]): AsyncGenerator<EventLine> {
  let line = 0;
  for (const { event } of events) {
    line += 1;
    yield { line, body: JSON.stringify(event) };
  }
}
