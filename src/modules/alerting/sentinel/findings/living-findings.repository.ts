import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { Finding } from './finding.entity.js';

/** What rounds do to findings. Their callers hold the project. */
@Injectable()
export class LivingFindingsRepository {
  constructor(private readonly database: Database) {}

  /** Those that a bucket may still change: unresolved, seen or ended since a time. People's acts on them wait. */
  async since(projectId: ProjectId, since: Date, tx: Db): Promise<Finding[]> {
    return this.database
      .repository(Finding, tx)
      .createQueryBuilder('f')
      .setLock('for_no_key_update')
      .where('f.project_id = :projectId', { projectId })
      .andWhere(`(f.status IN ('open', 'acknowledged') OR f.last_seen_at >= :since OR f.resolved_at >= :since)`, {
        since,
      })
      .orderBy('f.id')
      .getMany();
  }

  async insert(finding: Omit<Finding, 'createdAt' | 'updatedAt'>, tx: Db): Promise<void> {
    await this.database.repository(Finding, tx).insert({ ...finding });
  }

  async save({ id, projectId, createdAt, updatedAt, ...finding }: Finding, tx: Db): Promise<void> {
    const shown = { ...finding, createdAt, updatedAt: () => 'clock_timestamp()' };
    await this.database.repository(Finding, tx).update({ id, projectId }, shown);
  }

  /** How many event types were found new in a period. */
  async countNewTypes(projectId: ProjectId, from: Date, to: Date, tx: Db): Promise<number> {
    const [row] = await this.database.rows<{ found: number }>(
      `SELECT count(*)::int AS found FROM sentinel_findings
       WHERE project_id = $1 AND kind = 'new_event_type' AND started_at >= $2 AND started_at < $3`,
      [projectId, from, to],
      tx,
    );
    return row?.found ?? 0;
  }

  /** The database's time. */
  async now(tx: Db): Promise<Date> {
    const [row] = await this.database.rows<{ now: Date }>('SELECT clock_timestamp() AS now', [], tx);
    if (row === undefined) throw new Error('The database tells no time');
    return row.now;
  }
}
