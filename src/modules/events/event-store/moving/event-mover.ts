import { setTimeout as pause } from 'node:timers/promises';
import type { ProjectId } from '../../../access/index.js';
import type { Replicator } from '../replication/replicator.js';
import { isSameSum, type ReplicatedEventsRepository } from '../replication/replicated-events.repository.js';
import type { ColdMonth, Look, UnmovedEventsRepository } from './unmoved-events.repository.js';

/** Events that one step compares. */
const EVENTS_OF_A_LOOK = 10_000;
/** At most this many events may be queued at a time, which is the size of one block. */
const MOST_EVENTS_WAITING = 100_000;
/** When other processes replicate at the same time, events are compared one by one after this many attempts. */
const MOST_TRIES = 3;
/** The pause while another process replicates. */
const PAUSE_MS = 300;

/** A step whose events may still be queued. */
interface Waiting {
  readonly last: string | null;
  readonly events: number;
}

/** ClickHouse lacks events that PostgreSQL has, or had. */
class EventsMissing extends Error {}

/**
 * Replicates the events that were stored before replication was enabled. It reads every event in order, and queues
 * those that are neither replicated nor queued. The queue is then processed as usual, so the service can run meanwhile.
 * A run that was interrupted continues where it ended.
 */
export class EventMover {
  constructor(
    private readonly unmoved: UnmovedEventsRepository,
    private readonly stored: ReplicatedEventsRepository,
    private readonly replicator: Replicator,
  ) {}

  /**
   * @param tell receives the number of events that were read so far
   * @returns false when every event was already replicated
   * @throws EventsMissing when the check at the end fails
   */
  async move(tell: (events: number) => void): Promise<boolean> {
    let begun = await this.unmoved.state();
    if (begun.isWhole) {
      // Either store may have been restored since, so the stores are compared.
      if ((await this.difference()) === null) return false;
      begun = await this.unmoved.state();
    }
    let { place, events } = begun;
    const waiting: Waiting[] = [];
    for (let look; (look = await this.unmoved.look(place, EVENTS_OF_A_LOOK)) !== null; place = look.last) {
      await this.passBy(look);
      events += look.events;
      tell(events);
      waiting.push({ last: await this.unmoved.lastQueueRow(), events: look.events });
      while (sumOf(waiting) > MOST_EVENTS_WAITING) await this.untilCopied(waiting.shift()?.last);
    }
    await this.untilCopied(await this.unmoved.lastQueueRow());
    const difference = await this.difference();
    if (difference !== null) throw new EventsMissing(`${difference}. The next run looks at every event again.`);
    if (!(await this.unmoved.confirm())) {
      throw new Error('what was copied was lost meanwhile; the next run looks at every event again');
    }
    return true;
  }

  /** Queues the missing events of a step. */
  private async passBy(look: Look): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      // A project without any replicated event in this step needs no comparison. `pass` detects events that were
      // replicated meanwhile.
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
    // `looked` was read first. An event that was replicated and not queued then is in ClickHouse now.
    const copied = await this.stored.idsBetween(project, first, last);
    const missing = looked.filter(({ id, isWaiting }) => !isWaiting && !copied.has(id));
    if (missing.length > 0) await this.unmoved.keep(project, missing);
  }

  /** Waits until the queue is processed up to this row. Replicates itself when no other process does. */
  private async untilCopied(last: string | null | undefined): Promise<void> {
    if (last === null || last === undefined) return;
    const { signal } = new AbortController();
    while (await this.unmoved.waitsUpTo(last)) {
      if ((await this.replicator.replicateNext(signal)) === null) await pause(PAUSE_MS);
    }
  }

  /**
   * Compares both stores. When they differ, the replica is marked as incomplete. @returns a description of the
   * difference, or null when there is none
   * @throws EventsMissing
   */
  private async difference(): Promise<string | null> {
    const { block, from, projects } = await this.unmoved.sums();
    const copied = new Map((await this.stored.sums(block, { from })).map((sum) => [sum.project, sum]));
    // The comparison takes long. A project that was deleted meanwhile may be missing in one of the stores.
    const differing = await this.unmoved.living(projects.filter((kept) => !isSameSum(kept, copied.get(kept.project))));
    const [one] = differing;
    if (one === undefined) {
      await this.checkCold();
      return null;
    }
    // Retention has moved on, so events may be removed in only one of the stores so far.
    if ((await this.unmoved.countedFrom())?.getTime() !== from?.getTime()) return this.difference();
    await this.unmoved.markIncomplete();
    return (
      `${differing.length} of ${projects.length} projects differ, the first is ${one.project}: PostgreSQL has ${one.events} events, ` +
      `ClickHouse ${copied.get(one.project)?.events ?? '0'}`
    );
  }

  /**
   * Checks the months that PostgreSQL has dropped. ClickHouse must have at least as many events as were recorded. Late
   * events make more.
   */
  private async checkCold(): Promise<void> {
    const months = await this.unmoved.coldMonths();
    // Read after the months: a late event is recorded there only after it was replicated.
    const block = await this.unmoved.block();
    const keyOf = (project: string, month: Date): string => `${project} ${month.getTime()}`;
    const counts = await this.stored.countsOf(block, months);
    const copied = new Map(counts.map(({ project, month, events }) => [keyOf(project, month), events]));
    const thereOf = ({ project, month }: ColdMonth): string => copied.get(keyOf(project, month)) ?? '0';
    const [missing] = await this.unmoved.living(months.filter((kept) => BigInt(thereOf(kept)) < BigInt(kept.events)));
    if (missing === undefined) return;
    await this.unmoved.markIncomplete();
    throw new EventsMissing(
      `of ${missing.month.toISOString().slice(0, 7)}, which ClickHouse alone had, ${thereOf(missing)} of ${missing.events} events of the project ${missing.project} are there: ` +
        'restore ClickHouse from a backup of its own.',
    );
  }
}

function sumOf(waiting: readonly Waiting[]): number {
  return waiting.reduce((sum, { events }) => sum + events, 0);
}
