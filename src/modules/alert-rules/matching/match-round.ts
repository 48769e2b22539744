import { Injectable, Logger } from '@nestjs/common';
import { Database, type Db } from '../../../platform/database/database.js';
import { isPassingFault, isTakenTooLong } from '../engine/database-faults.js';
import { AlertEvents, type Firing } from '../../alerts/index.js';
import { RuleMetrics } from '../engine/rule-metrics.js';
import { SeriesRepository, type StoredSeries } from '../machine/series.repository.js';
import { reasonOf } from '../engine/failure-reasons.js';
import { type LiveRule, LiveRules } from '../rules/live-rules.js';
import { RuleFailures } from '../rules/rule-failures.js';
import { BatchSizes, LONGEST_MS } from './batch-sizes.js';
import { CompiledRules } from './compiled-rules.js';
import { type Act, actsOf, findHits } from './match-batch.js';
import { matchFiring } from './match-firing.js';
import { keepsState, lapsed } from './matched-series.js';
import { OutboxRepository, type OutboxRow } from './outbox.repository.js';

/** Events that one transaction takes on, at most, unless one row holds more. */
const MOST_EVENTS = 5_000;
const MOST_LAPSED = 200;
/** After so many batches of a project the others have their turn. */
const MOST_BATCHES = 10;

type HandedAct = Extract<Act, { kind: 'recover' }> | { readonly kind: 'fire'; readonly firing: Firing };

/** How much of a batch may be left out so that the project goes on. */
type Care = 'none' | 'each alert' | 'leave out';

/**
 * Matches events against the rules that wait for them: in the order in which they were accepted, once for each rule. What
 * has been matched leaves the outbox in the transaction that fires the alerts, and one worker has a project at a time.
 */
@Injectable()
export class MatchRound {
  private readonly logger = new Logger('alert-rules');
  private readonly compiled = new CompiledRules();
  private readonly sizes = new BatchSizes();

  constructor(
    private readonly database: Database,
    private readonly outbox: OutboxRepository,
    private readonly rules: LiveRules,
    private readonly series: SeriesRepository,
    private readonly alerts: AlertEvents,
    private readonly failures: RuleFailures,
    private readonly metrics: RuleMetrics,
  ) {}

  async countDue(): Promise<number> {
    return (await this.outbox.projectsWithWork()).length;
  }

  /**
   * Works on every project that has something to do.
   * @param onStep told after each batch, whether it went well or not
   * @returns how many batches and series were worked on
   */
  async run(onStep: () => void = () => undefined): Promise<number> {
    let processed = 0;
    for (const projectId of await this.outbox.projectsWithWork()) {
      if (this.sizes.rests(projectId, performance.now())) continue;
      try {
        processed += await this.drain(projectId, onStep);
      } catch (error) {
        this.logger.warn(`matching the events of project ${projectId} failed: ${String(error)}`);
        onStep();
      }
    }
    return processed;
  }

  private async drain(projectId: string, onStep: () => void): Promise<number> {
    let processed = 0;
    for (let batches = 0; batches < MOST_BATCHES; batches += 1) {
      const count = await this.batchInTime(projectId);
      processed += count;
      onStep();
      if (count === 0) break;
    }
    return processed;
  }

  /** What takes too long is tried again with fewer rows, which the project keeps to until it goes quickly again. */
  private async batchInTime(projectId: string): Promise<number> {
    for (;;) {
      const began = performance.now();
      try {
        const count = await this.batchWithCare(projectId, this.sizes.of(projectId));
        this.sizes.went(projectId, performance.now() - began);
        return count;
      } catch (error) {
        // A connection that was ended while we worked does not say why.
        const isTooLong = isTakenTooLong(error) || performance.now() - began > LONGEST_MS;
        if (!isTooLong || !this.sizes.tookTooLong(projectId, performance.now())) throw error;
      }
    }
  }

  /** What fails for its data is tried again alert by alert, and at last row by row, leaving out what still fails. */
  private async batchWithCare(projectId: string, mostRows: number): Promise<number> {
    let failure: unknown;
    for (const [care, rows] of [
      ['none', mostRows],
      ['each alert', mostRows],
      ['each alert', 1],
      ['leave out', 1],
    ] as const) {
      try {
        return await this.batch(projectId, rows, care);
      } catch (error) {
        if (isPassingFault(error)) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  private batch(projectId: string, mostRows: number, care: Care): Promise<number> {
    return this.database.transaction(async (tx) => {
      if (!(await this.outbox.claim(projectId, tx))) return 0;
      const rows = fitting(await this.outbox.read(projectId, mostRows, tx));
      const rules = await this.rules.ofEvents(projectId, tx);
      const [oldest] = rows;
      if (oldest === undefined) return this.settle(projectId, rules, tx);
      const positions = rows.map(({ position }) => position);
      if (care === 'leave out') {
        this.logger.error(`a batch of events of project ${projectId} cannot be matched and is left out`);
        this.metrics.skippedOne('batch');
      } else await this.match(projectId, rules, rows, care, tx);
      await this.outbox.remove(positions, tx);
      this.metrics.matched(rows.length, oldest.waitedSeconds);
      return rows.length;
    });
  }

  private async match(
    projectId: string,
    rules: readonly LiveRule[],
    rows: readonly OutboxRow[],
    care: Care,
    tx: Db,
  ): Promise<void> {
    if (rules.length === 0) return;
    const events = await this.outbox.events(projectId, rows, this.compiled.wanted(rules), tx);
    const failed = new Map<string, string>();
    const hits = await findHits(rules, events, this.compiled, (rule, event, error) => {
      failed.set(rule.id, reasonOf(error));
      this.logger.error(`rule ${rule.id} cannot be asked about an event of ${event.position}: ${String(error)}`);
      this.metrics.skippedOne('event');
    });
    for (const [id, reason] of failed) await this.failures.record(id, reason, tx);
    const recovered = rules.filter(({ id, isFailing }) => isFailing && !failed.has(id));
    await this.failures.clear(
      recovered.map(({ id }) => id),
      tx,
    );
    const keeping = hits.filter(({ rule }) => keepsState(rule.holds));
    const keys = keeping.map(({ rule, series }) => ({ ruleId: rule.id, fingerprint: series.fingerprint }));
    const stored = new Map((await this.series.find(keys, tx)).map((one) => [one.fingerprint, one]));
    const results = hits.map((hit) => actsOf(hit, stored.get(hit.series.fingerprint)));
    for (const act of await this.withEvents(
      projectId,
      results.flatMap(({ acts }) => acts),
      tx,
    )) {
      await this.perform(projectId, act, care, tx);
    }
    await this.series.save(
      results.flatMap(({ after }) => after ?? []),
      tx,
    );
  }

  /** Acts as they are handed on. */
  private async withEvents(projectId: string, acts: readonly Act[], tx: Db): Promise<HandedAct[]> {
    const fires = acts.filter((act) => act.kind === 'fire');
    const told = await this.outbox.told(
      projectId,
      fires.flatMap(({ first, last }) => [first, last]),
      tx,
    );
    const events = new Map(fires.map((act, at) => [act, [told[2 * at], told[2 * at + 1]] as const]));
    return acts.flatMap((act): HandedAct[] => {
      if (act.kind === 'recover') return [act];
      const [first, last] = events.get(act) ?? [];
      const { hits, occurrences } = act;
      // An event that is gone since it was read, with its whole month, is told no more.
      const event = first ?? last;
      if (!event) return [];
      const firing = matchFiring(hits.rule, hits.series, event, occurrences);
      return [{ kind: 'fire', firing: { ...firing, lastEventId: (last ?? event).id } }];
    });
  }

  private async perform(projectId: string, act: HandedAct, care: Care, tx: Db): Promise<void> {
    if (care === 'none') return this.hand(projectId, act, tx);
    await this.database.execute('SAVEPOINT one_alert', [], tx);
    try {
      await this.hand(projectId, act, tx);
      await this.database.execute('RELEASE SAVEPOINT one_alert', [], tx);
    } catch (error) {
      if (isPassingFault(error)) throw error;
      await this.database.execute('ROLLBACK TO SAVEPOINT one_alert', [], tx);
      this.logger.error(`an alert of project ${projectId} cannot be raised and is left out: ${String(error)}`);
      this.metrics.skippedOne('alert');
    }
  }

  private async hand(projectId: string, act: HandedAct, tx: Db): Promise<void> {
    if (act.kind === 'recover') return this.alerts.recover({ ...act, projectId }, tx);
    await this.alerts.fire(act.firing, tx);
    this.metrics.occurred(act.firing.occurrences ?? 1);
  }

  /** With no event before it any more, also none that is still being accepted, a series may come to rest. */
  private async settle(projectId: string, rules: readonly LiveRule[], tx: Db): Promise<number> {
    const byId = new Map(rules.map((rule) => [rule.id, rule]));
    if (byId.size === 0) return 0;
    const until = await this.outbox.emptyUntil(projectId, tx);
    const due = await this.series.lapsed([...byId.keys()], until, MOST_LAPSED, tx);
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
    await this.series.save(left, tx);
    return left.length;
  }
}

/** As many rows as hold not too many events; one in any case. */
function fitting(rows: readonly OutboxRow[]): OutboxRow[] {
  let events = 0;
  return rows.filter((row, index) => (events += row.events) <= MOST_EVENTS || index === 0);
}
