import { setTimeout as pause } from 'node:timers/promises';
import type { ProjectId } from '../../../access/index.js';
import type { Shipper } from '../shipping/shipper.js';
import { isSameSum, type StoredEventsRepository } from '../shipping/stored-events.repository.js';
import type { ColdMonth, Look, UnmovedEventsRepository } from './unmoved-events.repository.js';

/** Events that are looked at together. */
const EVENTS_OF_A_LOOK = 10_000;
/** So many may wait to be copied: what a block takes. */
const MOST_EVENTS_WAITING = 100_000;
/** Where others copy all the time, events are compared one by one after so many tries to do without. */
const MOST_TRIES = 3;
/** Until another process that copies has got on. */
const PAUSE_MS = 300;

/** Events that were looked at, of which some may wait. */
interface Waiting {
  readonly last: string | null;
  readonly events: number;
}

/** The event store and PostgreSQL do not have the same events. */
class EventsMissing extends Error {}

/**
 * Copies what was stored before events were copied. It looks at every event, in order, and puts those that are neither copied
 * nor waiting among what waits: from there they go the way of all others. So the service may run meanwhile, and whoever is killed
 * goes on where it was.
 */
export class EventMover {
  constructor(
    private readonly unmoved: UnmovedEventsRepository,
    private readonly stored: StoredEventsRepository,
    private readonly shipper: Shipper,
  ) {}

  /**
   * @param tell how many events were looked at
   * @returns false when every event was copied before
   * @throws EventsMissing when the check at the end fails
   */
  async move(tell: (events: number) => void): Promise<boolean> {
    let begun = await this.unmoved.state();
    if (begun.isWhole) {
      // It may have been restored since.
      if ((await this.difference()) === null) return false;
      begun = await this.unmoved.state();
    }
    let { place, events } = begun;
    const waiting: Waiting[] = [];
    for (let look; (look = await this.unmoved.look(place, EVENTS_OF_A_LOOK)) !== null; place = look.last) {
      await this.passBy(look);
      events += look.events;
      tell(events);
      waiting.push({ last: await this.unmoved.lastShipment(), events: look.events });
      while (sumOf(waiting) > MOST_EVENTS_WAITING) await this.untilCopied(waiting.shift()?.last);
    }
    await this.untilCopied(await this.unmoved.lastShipment());
    const difference = await this.difference();
    if (difference !== null) throw new EventsMissing(`${difference}. The next run looks at every event again.`);
    if (!(await this.unmoved.confirm())) {
      throw new Error('what was copied was lost meanwhile; the next run looks at every event again');
    }
    return true;
  }

  /** Puts what is missing of a look among what waits. */
  private async passBy(look: Look): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      // Where the event store has none of it at all, nothing has to be compared; what was copied while that was asked is told by `pass`.
      const there = tries > MOST_TRIES ? new Set<string>(look.projects) : await this.stored.projectsBetween(look);
      for (const project of look.projects) if (there.has(project)) await this.keepMissing(project, look);
      const others = look.projects.filter((project) => !there.has(project));
      if (await this.unmoved.pass(look, others)) return;
    }
  }

  private async keepMissing(project: ProjectId, look: Look): Promise<void> {
    const looked = await this.unmoved.eventsOf(project, look);
    const [first, last] = [looked[0], looked.at(-1)];
    if (first === undefined || last === undefined) return;
    // What does not wait by now, and was copied, is there by now.
    const copied = await this.stored.idsBetween(project, first, last);
    const missing = looked.filter(({ id, isWaiting }) => !isWaiting && !copied.has(id));
    if (missing.length > 0) await this.unmoved.keep(project, missing);
  }

  /** Up to this shipment: what comes meanwhile has time. Copies, where no other process does. */
  private async untilCopied(last: string | null | undefined): Promise<void> {
    if (last === null || last === undefined) return;
    const { signal } = new AbortController();
    while (await this.unmoved.waitsUpTo(last)) {
      if ((await this.shipper.ship(signal)) === null) await pause(PAUSE_MS);
    }
  }

  /** What the event store lacks of PostgreSQL's events: then it is known that not every event was copied. Null: nothing. @throws EventsMissing */
  private async difference(): Promise<string | null> {
    const { block, from, projects } = await this.unmoved.sums();
    const copied = new Map((await this.stored.sums(block, { from })).map((sum) => [sum.project, sum]));
    // That takes its time: what was deleted since may be gone from one of both.
    const differing = await this.unmoved.living(projects.filter((kept) => !isSameSum(kept, copied.get(kept.project))));
    const [one] = differing;
    if (one === undefined) {
      await this.checkCold();
      return null;
    }
    // Events have ended meanwhile, maybe in one of both so far.
    if ((await this.unmoved.countedFrom())?.getTime() !== from?.getTime()) return this.difference();
    await this.unmoved.doubt();
    return (
      `${differing.length} of ${projects.length} projects differ, the first is ${one.project}: PostgreSQL has ${one.events} events, ` +
      `ClickHouse ${copied.get(one.project)?.events ?? '0'}`
    );
  }

  /** Of months that PostgreSQL has dropped there has to be what there was, or more, which came late. */
  private async checkCold(): Promise<void> {
    const months = await this.unmoved.coldMonths();
    // Behind them: what came late is counted there once it was copied.
    const block = await this.unmoved.block();
    const keyOf = (project: string, month: Date): string => `${project} ${month.getTime()}`;
    const counts = await this.stored.countsOf(block, months);
    const copied = new Map(counts.map(({ project, month, events }) => [keyOf(project, month), events]));
    const thereOf = ({ project, month }: ColdMonth): string => copied.get(keyOf(project, month)) ?? '0';
    const [missing] = await this.unmoved.living(months.filter((kept) => BigInt(thereOf(kept)) < BigInt(kept.events)));
    if (missing === undefined) return;
    await this.unmoved.doubt();
    throw new EventsMissing(
      `of ${missing.month.toISOString().slice(0, 7)}, which ClickHouse alone had, ${thereOf(missing)} of ${missing.events} events of the project ${missing.project} are there: ` +
        'restore ClickHouse from a backup of its own.',
    );
  }
}

function sumOf(waiting: readonly Waiting[]): number {
  return waiting.reduce((sum, { events }) => sum + events, 0);
}
