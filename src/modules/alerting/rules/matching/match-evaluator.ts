import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { FairSemaphore } from '../../../../platform/concurrency/index.js';
import type { Db, Session } from '../../../../platform/database/database.js';
import { AlertRaiser } from '../../alerts/index.js';
import { isDataFault, isPassingFault, isTakenTooLong } from '../../../../platform/database/database-faults.js';
import { reasonOf } from '../outcomes/failure-reasons.js';
import { RuleMetrics } from '../outcomes/rule-metrics.js';
import { SeriesRepository, type StoredSeries } from '../machine/series.repository.js';
import { type LiveRule, LiveRulesRepository, type RulesOfEvents } from '../live-rules.repository.js';
import { RuleFailuresRepository } from '../outcomes/rule-failures.repository.js';
import { BatchSizes, LONGEST_MS } from './batch-sizes.js';
import { CompiledRules } from './compiled-rules.js';
import { evaluate, type Evaluated, firstEvents } from './evaluation.js';
import { firingOf, FiringsRepository } from './firings.repository.js';
import { actsOf, type SeriesHits } from './match-batch.js';
import { type MatchMark, MatchMarksRepository } from './match-marks.repository.js';
import { keepsState, lapsed } from '../machine/matched-series.js';
import { AcceptedEventsReader, type OutboxRow, type OutboxSlice } from '../../../events/event-store/index.js';
import { OutboxRepository } from './outbox.repository.js';
import { FiringsProcessor } from './firings-processor.js';
import { SetAsideService, type SetAsideReason } from './set-aside.service.js';

/** A batch takes at most this many events and rows of the outbox. */
const MOST_EVENTS = 5_000;
const MOST_ROWS = 500;
const MOST_LAPSED = 200;
/** Up to this many firings are raised in the transaction of their batch. More firings are stored and raised later. */
const RAISED_AT_ONCE = 10;

/**
 * Does one piece of work on a project whose lock this worker holds: it raises waiting alerts, else matches a batch of
 * events, else ends series that have come to rest. Events leave the outbox in the transaction that raises their alerts
 * or stores their firings. Stored firings are deleted in the transaction that raises them. So each event counts once
 * for each rule.
 *
 * Rules are evaluated outside of transactions, under a mark that is committed before. A mark that stays shows which
 * events ended a worker (by memory or by time). These events are then taken one by one, and an event that ends a worker
 * again is set aside. A process evaluates one batch at a time, so that no other batch is blamed.
 */
@Injectable()
export class MatchEvaluator {
  private readonly logger = new Logger('alert-rules');
  private readonly worker = randomUUID();
  private readonly compiled = new CompiledRules();
  private readonly sizes = new BatchSizes(MOST_EVENTS);
  private readonly slots = new FairSemaphore({ parallel: 1, maxQueued: Infinity });

  constructor(
    private readonly outbox: OutboxRepository,
    private readonly events: AcceptedEventsReader,
    private readonly marks: MatchMarksRepository,
    private readonly firings: FiringsRepository,
    private readonly processor: FiringsProcessor,
    private readonly rules: LiveRulesRepository,
    private readonly series: SeriesRepository,
    private readonly alerts: AlertRaiser,
    private readonly failures: RuleFailuresRepository,
    private readonly setAside: SetAsideService,
    private readonly metrics: RuleMetrics,
  ) {}

  /** Returns whether the project pauses after failures. */
  rests(projectId: ProjectId): boolean {
    return this.sizes.rests(projectId, performance.now()) || this.processor.rests(projectId);
  }

  /** @returns how much was done; 0 when there is nothing to do */
  async step(projectId: ProjectId, session: Session): Promise<number> {
    try {
      const done = await this.next(projectId, session);
      this.sizes.recovered(projectId);
      return done;
    } catch (error) {
      // The events did not cause the error, so they stay in the outbox until it has passed.
      if (!isPassingFault(error)) {
        const seconds = this.sizes.failed(projectId, performance.now()) / 1_000;
        this.logger.error(
          `the events of project ${projectId} are kept and tried again in ${seconds} s: ${String(error)}`,
        );
      }
      throw error;
    }
  }

  private async next(projectId: ProjectId, session: Session): Promise<number> {
    const { isToRaise, isToSettle, writtenSince, mark } = await this.marks.stateOf(projectId, session.db);
    if (isToRaise) return this.processor.waiting(projectId, session);
    if (mark !== null && mark.isEvaluating && mark.worker !== this.worker) {
      await this.blame(projectId, mark, session);
      return 1;
    }
    const rows = await this.outbox.read(
      projectId,
      writtenSince,
      Math.min(MOST_ROWS, this.sizes.of(projectId)),
      session.db,
    );
    const [oldest] = rows;
    if (oldest === undefined) return isToSettle ? session.transaction((tx) => this.settle(projectId, tx)) : 0;
    const areSuspects = mark !== null && isSuspect(mark, oldest.position);
    const batch = firstEvents(rows, areSuspects ? 1 : this.sizes.of(projectId));
    return this.batch(projectId, batch, session);
  }

  /** Handles the mark of a worker that ended while it evaluated events. */
  private async blame(projectId: ProjectId, mark: MatchMark, session: Session): Promise<void> {
    // A worker may end for any reason, such as a deployment. An event is given up when it alone ends a second worker.
    if (mark.eventId === null || !isSuspect(mark, mark.untilPosition)) {
      this.logger.warn(`a worker ended while it matched events of project ${projectId}: they are taken one by one`);
      await this.marks.suspect(projectId, this.worker, mark.untilPosition, session.db);
      return;
    }
    const [first] = await this.outbox.read(projectId, null, 1, session.db);
    if (first?.firstEventId === mark.eventId) await this.giveUp(projectId, first, 'ended_a_worker', session);
    await this.marks.end(projectId, mark.worker, session.db);
  }

  private async giveUp(projectId: ProjectId, row: OutboxRow, reason: SetAsideReason, session: Session): Promise<void> {
    await session.transaction(async (tx) => {
      await this.setAside.event(projectId, row.firstEventId, reason, tx);
      await this.outbox.remove(projectId, [{ row, first: 1, last: 1 }], tx);
    });
  }

  /** Matches a batch. After one that takes too long, the project gets smaller batches until they are fast again. */
  private async batch(projectId: ProjectId, batch: readonly OutboxSlice[], session: Session): Promise<number> {
    const began = performance.now();
    try {
      const count = await this.matched(projectId, batch, session);
      this.sizes.went(projectId, performance.now() - began);
      return count;
    } catch (error) {
      // The error of a lost connection does not say why, so a long duration counts as a timeout.
      const isTooLong = isTakenTooLong(error) || performance.now() - began > LONGEST_MS;
      if (isTooLong) {
        if (this.sizes.tookTooLong(projectId, performance.now())) return 1;
        if (!isTakenTooLong(error) || !this.sizes.isHopeless(projectId)) throw error;
        return this.without(projectId, batch, 'took_too_long', session);
      }
      if (!isDataFault(error)) throw error;
      this.logger.error(`events of project ${projectId} cannot be matched: ${String(error)}`);
      return this.without(projectId, batch, 'failed', session);
    }
  }

  /**
   * Handles a batch that cannot succeed: a single event is given up, several events are taken one by one from now on.
   */
  private async without(
    projectId: ProjectId,
    batch: readonly OutboxSlice[],
    reason: SetAsideReason,
    session: Session,
  ): Promise<number> {
    const [first] = batch;
    const last = batch.at(-1);
    if (first === undefined || last === undefined) return 0;
    if (theOnlyEvent(batch) === null) await this.marks.suspect(projectId, this.worker, last.row.position, session.db);
    else await this.giveUp(projectId, first.row, reason, session);
    return 1;
  }

  private async matched(projectId: ProjectId, batch: readonly OutboxSlice[], session: Session): Promise<number> {
    const { rules } = await this.rules.ofEvents(projectId, session.db, { areHeld: false });
    const evaluated =
      rules.length === 0
        ? { hits: [], taken: batch, answers: NONE_ANSWERED, failed: NONE_FAILED }
        : await this.evaluate(projectId, rules, batch, session);
    const acts = await session
      .transaction(async (tx) => this.write(projectId, rules, evaluated, true, tx))
      .catch((error: unknown) => {
        if (!isDataFault(error)) throw error;
        // An alert cannot be raised. The firings are stored, and `FiringsProcessor` sets the faulty one aside.
        return session.transaction((tx) => this.write(projectId, rules, evaluated, false, tx));
      });
    // The rules have changed since they were evaluated, so the batch is evaluated once more.
    if (acts === null) return 1;
    const [oldest] = evaluated.taken;
    this.metrics.matched(evaluated.taken.length, oldest?.row.waitedSeconds ?? 0);
    return evaluated.taken.length;
  }

  private evaluate(
    projectId: ProjectId,
    rules: readonly LiveRule[],
    batch: readonly OutboxSlice[],
    { db }: Session,
  ): Promise<EvaluatedBatch> {
    const { events, compiled, worker } = this;
    const failed = new Map<string, string>();
    return this.slots.run(projectId, async () => {
      const untilPosition = batch.at(-1)?.row.position ?? '0';
      await this.marks.begin(projectId, { worker, untilPosition, eventId: theOnlyEvent(batch) }, db);
      try {
        const evaluated = await evaluate({ events, compiled, db }, projectId, rules, batch, (rule, event, error) => {
          // Each rule logs one line for a batch, because a costly rule fails for many events.
          if (!failed.has(rule.id)) {
            this.logger.error(`rule ${rule.id} cannot be asked about event ${event.id}: ${String(error)}`);
          }
          failed.set(rule.id, reasonOf(error));
          this.metrics.skippedOne('event');
        });
        return { ...evaluated, failed };
      } finally {
        // A mark may stay because the database is unreachable. That does no harm, because a worker does not blame
        // events for its own mark.
        await this.marks.end(projectId, worker, db).catch((error: unknown) => {
          this.logger.warn(`a mark of project ${projectId} stays: ${String(error)}`);
        });
      }
    });
  }

  /** @returns null, and writes nothing, when the rules have changed since they were evaluated */
  private async write(
    projectId: ProjectId,
    evaluatedRules: readonly LiveRule[],
    { hits, taken, answers, failed }: Omit<EvaluatedBatch, 'taken'> & { readonly taken: readonly OutboxSlice[] },
    mayRaise: boolean,
    tx: Db,
  ): Promise<true | null> {
    const { rules, unreadable } = await this.rules.ofEvents(projectId, tx);
    if (!isSame(evaluatedRules, rules)) return null;
    await this.remember(projectId, { rules, unreadable }, answers, failed, tx);
    const results = await this.results(projectId, hits, tx);
    const firings = results.flatMap(({ acts }) => acts.map(firingOf));
    if (mayRaise && firings.length <= RAISED_AT_ONCE) await this.processor.raise(projectId, rules, firings, tx);
    else await this.firings.insert(projectId, firings, tx);
    await this.series.save(
      projectId,
      results.flatMap(({ after }) => after ?? []),
      tx,
    );
    await this.outbox.remove(projectId, taken, tx);
    return true;
  }

  /** Stores which rules failed and which succeed again. A rule that was not evaluated for any event stays as it was. */
  private async remember(
    projectId: ProjectId,
    { rules, unreadable }: RulesOfEvents,
    answers: EvaluatedBatch['answers'],
    failed: EvaluatedBatch['failed'],
    tx: Db,
  ): Promise<void> {
    for (const { id, error } of unreadable) {
      this.logger.error(`rule ${id} cannot be read: ${String(error)}`);
      await this.failures.record(projectId, id, reasonOf(error), tx);
    }
    for (const [id, reason] of failed) await this.failures.record(projectId, id, reason, tx);
    const recovered = rules.filter(({ id, isFailing }) => isFailing && answers.has(id) && !failed.has(id));
    await this.failures.clear(
      projectId,
      recovered.map(({ id }) => id),
      tx,
    );
  }

  private async results(
    projectId: ProjectId,
    hits: readonly SeriesHits[],
    tx: Db,
  ): Promise<ReturnType<typeof actsOf>[]> {
    const keeping = hits.filter(({ rule }) => keepsState(rule.holds));
    const keys = keeping.map(({ rule, series }) => ({ ruleId: rule.id, fingerprint: series.fingerprint }));
    const stored = new Map((await this.series.find(projectId, keys, tx)).map((one) => [one.fingerprint, one]));
    return hits.map((hit) => actsOf(hit, stored.get(hit.series.fingerprint)));
  }

  /** Ends series that are due, once no earlier event waits in the outbox or is still being written. */
  private async settle(projectId: ProjectId, tx: Db): Promise<number> {
    const { rules } = await this.rules.ofEvents(projectId, tx);
    const byId = new Map(rules.map((rule) => [rule.id, rule]));
    if (byId.size === 0) return 0;
    const until = await this.outbox.emptyUntil(projectId, tx);
    const due = await this.series.lapsed(projectId, [...byId.keys()], until, MOST_LAPSED, tx);
    const left: StoredSeries[] = [];
    for (const series of due) {
      const rule = byId.get(series.ruleId);
      if (rule === undefined || series.dueAt === null) continue;
      const { after, effect } = lapsed(series, series.dueAt, rule.holds);
      left.push(after);
      if (effect === 'recover') {
        await this.alerts.recover({ projectId, ruleId: rule.id, fingerprint: series.fingerprint }, tx);
      }
    }
    await this.series.save(projectId, left, tx);
    return left.length;
  }
}

interface EvaluatedBatch extends Evaluated {
  /** The reasons why rules failed for some of the events, by rule id. */
  readonly failed: ReadonlyMap<string, string>;
}

const NONE_ANSWERED: EvaluatedBatch['answers'] = new Set();
const NONE_FAILED: EvaluatedBatch['failed'] = new Map();

/** Returns whether a row is among the suspects, one of which has ended a worker. */
function isSuspect({ suspectsUntil }: MatchMark, position: string): boolean {
  return suspectsUntil !== null && BigInt(position) <= BigInt(suspectsUntil);
}

/** Returns the id of the event when a batch has just one, else null. */
function theOnlyEvent(batch: readonly OutboxSlice[]): string | null {
  const [first] = batch;
  const events = batch.reduce((sum, { last }) => sum + last, 0);
  return events === 1 && batch.length === 1 ? (first?.row.firstEventId ?? null) : null;
}

/**
 * Returns whether the rules have the same definitions. Recipients may differ, because they are read when a rule fires.
 */
function isSame(evaluatedRules: readonly LiveRule[], now: readonly LiveRule[]): boolean {
  const definition = ({ id, revision, watchedSince, holds }: LiveRule): unknown => [id, revision, watchedSince, holds];
  return JSON.stringify(evaluatedRules.map(definition)) === JSON.stringify(now.map(definition));
}
