import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../api-client.js';
import { DemoError } from '../demo-error.js';
import { randomFrom } from '../random.js';
import { BatchSender, type EventLine } from '../sender.js';
import { printable } from '../table.js';
import type { SignIn, Workspace } from '../workspace.js';
import { startReceiver } from './receiver.js';
import type { Service } from './services.js';
import { busiestRate, Shop, type ShopEvent } from './shop.js';
import { DAILY_PACE, LIVE_PACE, Story } from './story.js';
import { surround } from './surroundings.js';

export interface ShopOptions {
  readonly client: ApiClient;
  readonly signIn: SignIn;
  readonly workspace: Workspace;
  readonly seed: number;
  /** The approximate number of past events. */
  readonly count: number;
  /** Number of past days. Null: one day, and live events then occur more often than in that day. */
  readonly historyDays: number | null;
  readonly isLive: boolean;
  readonly print: (line: string) => void;
  /** Ends the demo. */
  readonly signal: AbortSignal;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A day with more events is generated and sent in several parts, to limit the memory. */
const MIN_PART_EVENTS = 10_000;
const TICK_MS = 1_000;
/** Actions per second at the busiest hour. They produce about five events per second. */
const LIVE_RATE = 4;
const PROGRESS_INTERVAL_MS = 60_000;
/** After a longer gap the machine must have slept. The events of the gap are skipped. */
const MAX_GAP_MS = 5 * 60_000;
/**
 * Maximum number of past events of a free organization. It leaves some of the 10,000 events per month for live events.
 */
const MAX_FREE_EVENTS = 8_000;
const NOTHING_COMPLETE = 'Stopped: no day is complete.';

/**
 * Sends the past events of a shop. A live shop then sends events as they occur, until the signal aborts.
 * @returns whether all past events were sent
 * @throws DemoError when the service accepts no more events
 */
export async function showShop(options: ShopOptions): Promise<boolean> {
  const { workspace, print, signal, seed, historyDays } = options;
  const receiver = options.isLive ? await startReceiver() : null;
  try {
    const surroundings = await surround({ ...options, receiverUrl: receiver?.url ?? null }).catch((error: unknown) => {
      if (signal.aborted) return null;
      throw error;
    });
    if (surroundings === null) {
      print(NOTHING_COMPLETE);
      return false;
    }
    const { keys, isLarge } = surroundings;
    const outlet = new Outlet(options.client, keys, workspace.apiKey, print, signal);
    const count = isLarge ? options.count : Math.min(options.count, MAX_FREE_EVENTS);
    if (count < options.count) print(`A free organization has a limit: the past gets about ${count} events.`);
    const days = historyDays ?? 1;
    const story = new Story(DAILY_PACE, new Date());
    const rate = busiestRate(count, days, story.origin);
    const pastEnd = await sendPast({ story, seed, days, rate }, outlet, print, signal);
    if (pastEnd === null) return false;
    if (!options.isLive) return true;
    print('Events keep coming until Ctrl+C.');
    const isDaily = historyDays !== null;
    const shop = new Shop(randomFrom(seed), isDaily ? story : new Story(LIVE_PACE, pastEnd), 'live');
    await sendLive({ shop, since: pastEnd, rate: isDaily ? rate : LIVE_RATE, outlet, print, signal });
    return true;
  } finally {
    receiver?.close();
  }
}

interface Past {
  readonly story: Story;
  readonly seed: number;
  readonly days: number;
  readonly rate: number;
}

/**
 * Generates the events of one day before the story's origin, in parts of one or more hours. The same seed and origin
 * produce the same events.
 */
export function* pastDay({ story, seed, rate }: Omit<Past, 'days'>, daysAgo: number): Generator<ShopEvent[]> {
  const shop = new Shop(randomFrom(seed + daysAgo), story, `past-${daysAgo}`);
  const begin = beginOf(story, daysAgo).getTime();
  let part: ShopEvent[] = [];
  for (let from = begin; from < begin + DAY_MS; from += HOUR_MS) {
    part = part.concat(shop.between(new Date(from), new Date(from + HOUR_MS), rate));
    if (part.length < MIN_PART_EVENTS) continue;
    yield part;
    part = [];
  }
  yield part;
}

function beginOf({ origin }: Story, daysAgo: number): Date {
  return new Date(origin.getTime() - daysAgo * DAY_MS);
}

/**
 * Sends the past events, newest day first, so that an interruption leaves no gap in the last days.
 * @returns the end of the past, or null when the signal aborted before all days were sent
 */
async function sendPast(past: Past, outlet: Outlet, print: Print, signal: AbortSignal): Promise<Date | null> {
  const { story, days } = past;
  const startedAt = performance.now();
  let end: Date;
  let sent = 0;
  const printStopped = (): void =>
    print(
      sent === 0
        ? NOTHING_COMPLETE
        : `Stopped: complete from ${minute(beginOf(story, sent))} UTC on, ${sent} of ${days} days. Run the demo again to send all days.`,
    );
  signal.addEventListener('abort', printStopped);
  try {
    for (let daysAgo = 1; daysAgo <= days; daysAgo += 1) {
      const before = outlet.accepted;
      for (const events of pastDay(past, daysAgo)) await outlet.send(events);
      signal.throwIfAborted();
      sent = daysAgo;
      print(`  from ${minute(beginOf(story, sent))} UTC: ${outlet.accepted - before} events`);
    }
    // These events occurred while the past was being sent.
    end = new Date();
    await outlet.send(new Shop(randomFrom(past.seed), story, 'now').between(story.origin, end, past.rate));
    signal.throwIfAborted();
  } catch (error) {
    if (!signal.aborted) throw error;
    return null;
  } finally {
    signal.removeEventListener('abort', printStopped);
  }
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  print(`The last ${days === 1 ? 'day is' : `${days} days are`} there: ${outlet.accepted} events in ${seconds} s.`);
  return end;
}

interface Live {
  readonly shop: Pick<Shop, 'story' | 'between'>;
  /** The end of the time whose events have been sent. */
  readonly since: Date;
  readonly rate: number;
  readonly outlet: Pick<Outlet, 'accepted' | 'send'>;
  readonly print: Print;
  readonly signal: AbortSignal;
  readonly wait?: (ms: number) => Promise<unknown>;
}

/**
 * Sends the events of the shop as they occur, until the signal aborts. Events that occur during a slow request are sent
 * after it.
 */
export async function sendLive(live: Live): Promise<void> {
  const { shop, since, rate, outlet, print, signal } = live;
  const wait = live.wait ?? ((ms: number) => delay(ms, undefined, { signal }));
  let [last, reportedAt] = [since, since];
  let incidentBefore: string | undefined;
  try {
    for (;;) {
      await wait(TICK_MS);
      signal.throwIfAborted();
      const now = new Date();
      const incident = shop.story.incidentAt(now)?.name;
      if (incident !== incidentBefore) print(`${clock(now)}  ${incident ?? 'all is well again'}`);
      incidentBefore = incident;
      const from = now.getTime() - last.getTime() > MAX_GAP_MS ? now : last;
      await outlet.send(shop.between(from, now, rate));
      last = now;
      if (now.getTime() - reportedAt.getTime() < PROGRESS_INTERVAL_MS) continue;
      print(`${clock(now)}  ${outlet.accepted} events`);
      reportedAt = now;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

type Print = (line: string) => void;

function minute(time: Date): string {
  return time.toISOString().slice(0, 16).replace('T', ' ');
}

function clock(time: Date): string {
  return time.toTimeString().slice(0, 8);
}

/** Sends each event with the key of its service. */
class Outlet {
  accepted = 0;
  private readonly senders = new Map<string, BatchSender>();

  constructor(
    private readonly client: ApiClient,
    private readonly keys: ReadonlyMap<Service, string>,
    private readonly otherKey: string,
    private readonly print: Print,
    private readonly signal: AbortSignal,
  ) {}

  /** @throws DemoError when the service refuses an event permanently, or any error once the signal has aborted */
  async send(events: readonly ShopEvent[]): Promise<void> {
    const byKey = new Map<string, ShopEvent[]>();
    for (const event of events) {
      const key = this.keys.get(event.service) ?? this.otherKey;
      const ofKey = byKey.get(key);
      if (ofKey === undefined) byKey.set(key, [event]);
      else ofKey.push(event);
    }
    await Promise.all([...byKey].map(([key, ofKey]) => this.sendBy(key, ofKey)));
  }

  private async sendBy(apiKey: string, events: readonly ShopEvent[]): Promise<void> {
    const sender = this.senderOf(apiKey);
    await sender.send(linesOf(events, this.signal), (outcome) => {
      if (!outcome.accepted) throw refusalOf(outcome.reason);
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
      wait: (ms) => delay(ms, undefined, { signal: this.signal }),
    });
    this.senders.set(apiKey, sender);
    return sender;
  }
}

const QUOTA_ADVICE = `The monthly quota of a free organization lasts for about half an hour of live events. Stop the service and run
the demo again: it then starts a service in which its organization has a larger plan.`;

function refusalOf(reason: string): DemoError {
  const isQuota = /quota exceeded/i.test(reason);
  return new DemoError(isQuota ? `${printable(reason)}\n${QUOTA_ADVICE}` : printable(reason));
}

/**
 * Yields no more events when the signal has aborted, so that only requests in flight are completed.
 * @throws the reason of the signal
 */
async function* linesOf(events: readonly ShopEvent[], signal: AbortSignal): AsyncGenerator<EventLine> {
  let line = 0;
  for (const { event } of events) {
    signal.throwIfAborted();
    line += 1;
    yield { line, body: JSON.stringify(event) };
  }
}
