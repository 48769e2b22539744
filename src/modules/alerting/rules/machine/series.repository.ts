import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { INACTIVE, type SeriesState } from './rule-machine.js';
import type { GroupValue } from '../../../events/event-store/index.js';
import type { Series } from './series.js';

export interface StoredSeries extends Series {
  readonly ruleId: string;
  readonly state: SeriesState;
  /**
   * The time at which the series comes to rest unless an event matches before, in epoch milliseconds. Null when time
   * alone does not end the series.
   */
  readonly dueAt: number | null;
}

interface Row {
  rule_id: string;
  fingerprint: string;
  group_values: Record<string, GroupValue>;
  state: 'pending' | 'firing' | 'recovering';
  since: Date;
  breached_at: Date;
  due_at: Date | null;
}

const COLUMNS = 's.rule_id, s.fingerprint, s.group_values, s.state, s.since, s.breached_at, s.due_at';

/** Stores the series of rules. Every statement reads and writes only series of rules of the given project. */
@Injectable()
export class SeriesRepository {
  constructor(private readonly database: Database) {}

  async ofRule(projectId: ProjectId, ruleId: string, tx: Db): Promise<StoredSeries[]> {
    return this.read(projectId, 's.rule_id = $2', [ruleId], tx);
  }

  async find(
    projectId: ProjectId,
    keys: readonly { ruleId: string; fingerprint: string }[],
    tx: Db,
  ): Promise<StoredSeries[]> {
    if (keys.length === 0) return [];
    return this.read(
      projectId,
      '(s.rule_id, s.fingerprint) IN (SELECT * FROM unnest($2::uuid[], $3::text[]))',
      [keys.map(({ ruleId }) => ruleId), keys.map(({ fingerprint }) => fingerprint)],
      tx,
    );
  }

  /** Returns the series of these rules that are due to come to rest at `until` or before, the earliest first. */
  async lapsed(
    projectId: ProjectId,
    ruleIds: readonly string[],
    until: Date,
    limit: number,
    tx: Db,
  ): Promise<StoredSeries[]> {
    return this.read(
      projectId,
      `s.rule_id = ANY ($2::uuid[]) AND s.due_at <= $3 ORDER BY s.due_at LIMIT $4`,
      [ruleIds, until, limit],
      tx,
    );
  }

  async save(projectId: ProjectId, series: readonly StoredSeries[], tx: Db): Promise<void> {
    const gone = series.filter(({ state }) => state.state === 'inactive');
    if (gone.length > 0) {
      await this.database.execute(
        `DELETE FROM alert_rule_series s
         USING unnest($2::uuid[], $3::text[]) AS g (rule_id, fingerprint)
         JOIN alert_rules r ON r.project_id = $1 AND r.id = g.rule_id
         WHERE s.rule_id = g.rule_id AND s.fingerprint = g.fingerprint`,
        [projectId, gone.map(({ ruleId }) => ruleId), gone.map(({ fingerprint }) => fingerprint)],
        tx,
      );
    }
    const rows = series.flatMap(({ ruleId, fingerprint, groupValues, state, dueAt }) =>
      state.state === 'inactive'
        ? []
        : [
            {
              rule_id: ruleId,
              fingerprint,
              group_values: groupValues,
              state: state.state,
              since: new Date(state.since),
              breached_at: new Date(state.breachedAt),
              due_at: dueAt === null ? null : new Date(dueAt),
            },
          ],
    );
    if (rows.length === 0) return;
    await this.database.execute(
      `INSERT INTO alert_rule_series (rule_id, fingerprint, group_values, state, since, breached_at, due_at)
       SELECT s.rule_id, s.fingerprint, s.group_values, s.state, s.since, s.breached_at, s.due_at
       FROM json_populate_recordset(NULL::alert_rule_series, $2::json) s
       JOIN alert_rules r ON r.project_id = $1 AND r.id = s.rule_id
       ON CONFLICT ON CONSTRAINT pk_alert_rule_series DO UPDATE
       SET state = excluded.state, since = excluded.since, breached_at = excluded.breached_at, due_at = excluded.due_at`,
      [projectId, JSON.stringify(rows)],
      tx,
    );
  }

  /**
   * @param where a condition in SQL on the series `s`, in which `$1` is the project and `parameters` begin with `$2`
   */
  private async read(
    projectId: ProjectId,
    where: string,
    parameters: readonly unknown[],
    tx: Db,
  ): Promise<StoredSeries[]> {
    const rows = await this.database.rows<Row>(
      `SELECT ${COLUMNS} FROM alert_rule_series s JOIN alert_rules r ON r.project_id = $1 AND r.id = s.rule_id
       WHERE ${where}`,
      [projectId, ...parameters],
      tx,
    );
    return rows.map((row) => ({
      ruleId: row.rule_id,
      fingerprint: row.fingerprint,
      groupValues: row.group_values,
      state: { state: row.state, since: row.since.getTime(), breachedAt: row.breached_at.getTime() },
      dueAt: row.due_at?.getTime() ?? null,
    }));
  }
}

export function restingSeries(ruleId: string, series: Series): StoredSeries {
  return { ...series, ruleId, state: INACTIVE, dueAt: null };
}
