import { setTimeout as pause } from 'node:timers/promises';
import type { ProjectId } from '../../../../access/index.js';
import type { Replicator } from '../replicator.js';
import { isSameSum, type ReplicatedEventsRepository } from '../replicated-events.repository.js';
import type { ArchivedMonth, BackfillStep, BackfillRepository } from './backfill.repository.js';

/** Events that one step compares. */
const EVENTS_PER_STEP = 10_000;
/** At most this many events may be queued at a time, which is the size of one block. */
const MAX_QUEUED_EVENTS = 100_000;
/** When other processes replicate at the same time, events are compared one by one after this many attempts. */
const MAX_ATTEMPTS = 3;
/** The pause while another process replicates. */
const PAUSE_MS = 300;

/** A step whose events may still be queued. */
interface QueuedStep {
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
export class Backfill {
  constructor(
    private readonly repository: BackfillRepository,
    private readonly stored: ReplicatedEventsRepository,
    private readonly replicator: Replicator,
  ) {}

  /**
   * @param onProgress receives the number of events that were read so far
   * @returns false when every event was already replicated
   * @throws EventsMissing when the check at the end fails
   */
  async run(onProgress: (events: number) => void): Promise<boolean> {
    let begun = await this.repository.state();
    if (begun.isWhole) {
      // Either store may have been restored since, so the stores are compared.
      if ((await this.difference()) === null) return false;
      begun = await this.repository.state();
    }
    let { locator, events } = begun;
    const queued: QueuedStep[] = [];
    for (let step; (step = await this.repository.nextStep(locator, EVENTS_PER_STEP)) !== null; locator = step.last) {
      await this.runStep(step);
      events += step.events;
      onProgress(events);
      queued.push({ last: await this.repository.lastQueueRow(), events: step.events });
      while (sumOf(queued) > MAX_QUEUED_EVENTS) await this.untilReplicated(queued.shift()?.last);
    }
    await this.untilReplicated(await this.repository.lastQueueRow());
    const difference = await this.difference();
    if (difference !== null) throw new EventsMissing(`${difference}. The next run looks at every event again.`);
    if (!(await this.repository.confirm())) {
      throw new Error('what was copied was lost meanwhile; the next run looks at every event again');
    }
    return true;
  }

  /** Queues the missing events of a step. */
  private async runStep(step: BackfillStep): Promise<void> {
    for (let attempts = 1; ; attempts += 1) {
      // A project without any replicated event in this step needs no comparison. `completeStep` detects events that
      // were replicated meanwhile.
      const there = attempts > MAX_ATTEMPTS ? new Set<string>(step.projects) : await this.stored.projectsBetween(step);
      for (const project of step.projects) if (there.has(project)) await this.enqueueMissing(project, step);
      const others = step.projects.filter((project) => !there.has(project));
      if (await this.repository.completeStep(step, others)) return;
    }
  }

  private async enqueueMissing(project: ProjectId, step: BackfillStep): Promise<void> {
    const events = await this.repository.eventsOf(project, step);
    const [first, last] = [events[0], events.at(-1)];
    if (first === undefined || last === undefined) return;
    // ClickHouse is read after `events`. So an event that had left the queue by then is found there.
    const replicated = await this.stored.idsBetween(project, first, last);
    const missing = events.filter(({ id, isQueued }) => !isQueued && !replicated.has(id));
    if (missing.length > 0) await this.repository.enqueue(project, missing);
  }

  /** Waits until the queue is processed up to this row. Replicates itself when no other process does. */
  private async untilReplicated(last: string | null | undefined): Promise<void> {
    if (last === null || last === undefined) return;
    const { signal } = new AbortController();
    while (await this.repository.waitsUpTo(last)) {
      if ((await this.replicator.replicateNext(signal)) === null) await pause(PAUSE_MS);
    }
  }

  /**
   * Compares both stores. When they differ, the replica is marked as incomplete. @returns a description of the
   * difference, or null when there is none
   * @throws EventsMissing
   */
  private async difference(): Promise<string | null> {
    const { block, from, projects } = await this.repository.sums();
    const replicated = new Map((await this.stored.sums(block, { from })).map((sum) => [sum.project, sum]));
    // The comparison takes long. A project that was deleted meanwhile may be missing in one of the stores.
    const differing = await this.repository.living(
      projects.filter((kept) => !isSameSum(kept, replicated.get(kept.project))),
    );
    const [one] = differing;
    if (one === undefined) {
      await this.checkArchivedMonths();
      return null;
    }
    // Retention or archiving has moved the start of the compared range meanwhile. Events may be removed in only one of
    // the stores so far.
    if ((await this.repository.countedFrom())?.getTime() !== from?.getTime()) return this.difference();
    await this.repository.markIncomplete();
    return (
      `${differing.length} of ${projects.length} projects differ, the first is ${one.project}: PostgreSQL has ${one.events} events, ` +
      `ClickHouse ${replicated.get(one.project)?.events ?? '0'}`
    );
  }

  /**
   * Checks the months that PostgreSQL has dropped. ClickHouse must have at least as many events as were recorded. It
   * has more when late events have arrived since.
   */
  private async checkArchivedMonths(): Promise<void> {
    const months = await this.repository.archivedMonths();
    // The block is read after the months, because a late event is recorded in its month only after it was replicated.
    const block = await this.repository.block();
    const keyOf = (project: string, month: Date): string => `${project} ${month.getTime()}`;
    const counts = await this.stored.countsOf(block, months);
    const replicated = new Map(counts.map(({ project, month, events }) => [keyOf(project, month), events]));
    const thereOf = ({ project, month }: ArchivedMonth): string => replicated.get(keyOf(project, month)) ?? '0';
    const [missing] = await this.repository.living(
      months.filter((kept) => BigInt(thereOf(kept)) < BigInt(kept.events)),
    );
    if (missing === undefined) return;
    await this.repository.markIncomplete();
    throw new EventsMissing(
      `of ${missing.month.toISOString().slice(0, 7)}, which ClickHouse alone had, ${thereOf(missing)} of ${missing.events} events of the project ${missing.project} are there: ` +
        'restore ClickHouse from a backup of its own.',
    );
  }
}

function sumOf(queued: readonly QueuedStep[]): number {
  return queued.reduce((sum, { events }) => sum + events, 0);
}
