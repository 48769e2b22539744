import { Injectable, Logger } from '@nestjs/common';
import { Database, type Db } from '../../../platform/database/database.js';
import { RuleAlerts } from '../engine/rule-alerts.js';
import { RuleMetrics } from '../engine/rule-metrics.js';
import { INACTIVE, type SeriesState, step } from '../machine/rule-machine.js';
import { restingSeries, SeriesRepository, type StoredSeries } from '../machine/series.repository.js';
import { ruleOf } from '../matching/match-firing.js';
import { type LiveRule, LiveRules, RULE_COLUMNS, type RuleRow } from '../rules/live-rules.js';
import { Heartbeats } from './heartbeats.js';
import { evaluationSeconds } from './window-values.js';
import { type Seen, WindowEvaluator } from './window-evaluator.js';

/** One evaluation may read events for so long. */
const STATEMENT_TIMEOUT = '10s';
/** One round does no more than this; the next one goes on. */
const MOST_RULES = 500;
/** Evaluations this many times later than they should be have missed some. */
const LATE_TIMES = 4;
const LATE_AT_LEAST_SECONDS = 60;

interface Due extends RuleRow {
  now: Date;
  archived: boolean;
}

/**
 * Evaluates rules on windows when they are due. A rule is claimed by its row for the length of one transaction, which also
 * fires its alerts and says when it is due again: several workers never evaluate a rule twice, and one that dies leaves
 * no trace. The time is the database's.
 */
@Injectable()
export class WindowRound {
  private readonly logger = new Logger('alert-rules');

  constructor(
    private readonly database: Database,
    private readonly rules: LiveRules,
    private readonly series: SeriesRepository,
    private readonly evaluator: WindowEvaluator,
    private readonly heartbeats: Heartbeats,
    private readonly alerts: RuleAlerts,
    private readonly metrics: RuleMetrics,
  ) {}

  /** @returns how many rules were evaluated */
  async run(): Promise<number> {
    let evaluated = 0;
    while (evaluated < MOST_RULES && (await this.next())) evaluated += 1;
    return evaluated;
  }

  private async next(): Promise<boolean> {
    let claimed: string | undefined;
    try {
      return await this.database.transaction(async (tx) => {
        const due = await this.claim(tx);
        if (due === undefined) return false;
        claimed = due.id;
        await this.database.execute(`SET LOCAL statement_timeout = '${STATEMENT_TIMEOUT}'`, [], tx);
        const [rule] = await this.rules.read([due], tx);
        if (rule) await this.evaluate(rule, due, tx);
        this.metrics.evaluated('done');
        return true;
      });
    } catch (error) {
      if (claimed === undefined) throw error;
      this.logger.warn(`evaluating rule ${claimed} failed: ${String(error)}`);
      this.metrics.evaluated('failed');
      await this.postpone(claimed, error);
      return true;
    }
  }

  private async claim(tx: Db): Promise<Due | undefined> {
    const rows = await this.database.rows<Due>(
      `SELECT ${RULE_COLUMNS}, clock_timestamp() AS now, p.archived_at IS NOT NULL AS archived
       FROM alert_rules r JOIN projects p ON p.id = r.project_id AND p.deleted_at IS NULL
       WHERE r.next_evaluation_at <= clock_timestamp()
       ORDER BY r.next_evaluation_at LIMIT 1 FOR NO KEY UPDATE OF r SKIP LOCKED`,
      [],
      tx,
    );
    return rows[0];
  }

  private async evaluate(rule: LiveRule, due: Due, tx: Db): Promise<void> {
    const { condition } = rule;
    if (condition.kind === 'match' || condition.kind === 'anomaly') return;
    const every = evaluationSeconds(condition.window_seconds);
    await this.database.execute(
      `UPDATE alert_rules SET next_evaluation_at = clock_timestamp() + make_interval(secs => $2), last_evaluated_at = $3,
         last_error = NULL, watched_since = CASE WHEN $4 THEN $3 ELSE watched_since END
       WHERE id = $1`,
      [rule.id, every, due.now, due.archived],
      tx,
    );
    // An archived project takes no events: what is seen of it says nothing.
    if (due.archived) return;
    const now = due.now.getTime();
    const stored = await this.series.ofRule(rule.id, tx);
    const upSince = condition.kind === 'absence' ? await this.heartbeats.upSince(tx) : null;
    const watchedSince = upSince === null ? null : Math.max(upSince, rule.watchedSince.getTime());
    const seen = await this.evaluator.look(rule, now, stored, watchedSince, tx);
    await this.follow(rule, seen, stored, now, hasMissed(rule, now, every), tx);
  }

  private async follow(
    rule: LiveRule,
    seen: readonly Seen[],
    stored: readonly StoredSeries[],
    now: number,
    missed: boolean,
    tx: Db,
  ): Promise<void> {
    const known = new Map(stored.map((one) => [one.fingerprint, one]));
    const left: StoredSeries[] = [];
    for (const one of seen) {
      const before = known.get(one.series.fingerprint);
      const from = stateBefore(before?.state ?? INACTIVE, missed);
      const { after, effect } = step(from, one.observation, now, rule.holds);
      if (before !== undefined || after.state !== 'inactive') {
        left.push({ ...(before ?? restingSeries(rule.id, one.series)), state: after });
      }
      const { fingerprint } = one.series;
      if (effect === 'recover')
        await this.alerts.recover({ projectId: rule.projectId, ruleId: rule.id, fingerprint }, tx);
      else if (effect !== null) {
        await this.alerts.fire(
          {
            projectId: rule.projectId,
            rule: ruleOf(rule),
            fingerprint,
            groupValues: one.series.groupValues,
            event: null,
            message: one.message,
            payload: { kind: rule.condition.kind, ...one.values, group: one.series.groupValues },
            occurrences: 1,
            continues: effect === 'repeat',
          },
          tx,
        );
        if (effect === 'fire') this.metrics.occurred(1);
      }
    }
    await this.series.save(left, tx);
  }

  /** So that a rule that cannot be evaluated does not keep the others from their turn. */
  private async postpone(id: string, error: unknown): Promise<void> {
    await this.database.execute(
      `UPDATE alert_rules SET next_evaluation_at = clock_timestamp() + interval '60 seconds', last_error = left($2, 500)
       WHERE id = $1 AND next_evaluation_at IS NOT NULL`,
      [id, String(error)],
    );
  }
}

/** A condition that nobody looked at for a while may have held or not: its waiting begins anew. */
function stateBefore(state: SeriesState, missed: boolean): SeriesState {
  return missed && state.state === 'pending' ? INACTIVE : state;
}

function hasMissed({ lastEvaluatedAt }: LiveRule, now: number, everySeconds: number): boolean {
  if (lastEvaluatedAt === null) return false;
  const late = Math.max(LATE_AT_LEAST_SECONDS, LATE_TIMES * everySeconds);
  return now - lastEvaluatedAt.getTime() > late * 1_000;
}
