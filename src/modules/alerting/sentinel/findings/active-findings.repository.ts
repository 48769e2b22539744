import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { ACTIVE_COLUMNS, type ActiveFindingRow } from './finding-columns.js';
import { Finding } from './finding.entity.js';

/** Reads and writes findings for rounds of Sentinel. Callers hold the lock of the project. */
@Injectable()
export class ActiveFindingsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns the findings that a bucket may still change: those that are unresolved, or were seen or resolved since a
   * time. Their rows are locked, so that actions of people wait.
   */
  since(projectId: ProjectId, since: Date, tx: Db): Promise<ActiveFindingRow[]> {
    return this.database.rows<ActiveFindingRow>(
      `SELECT ${ACTIVE_COLUMNS} FROM sentinel_findings f
       WHERE f.project_id = $1 AND (f.status IN ('open', 'acknowledged') OR f.last_seen_at >= $2 OR f.resolved_at >= $2)
       ORDER BY f.id FOR NO KEY UPDATE`,
      [projectId, since],
      tx,
    );
  }

  async insert(findings: readonly Finding[], tx: Db): Promise<void> {
    if (findings.length > 0) await this.database.repository(Finding, tx).insert(findings.map((one) => ({ ...one })));
  }

  /** Stores the fields of findings that a bucket changes. */
  async save(projectId: ProjectId, findings: readonly ActiveFindingRow[], tx: Db): Promise<void> {
    if (findings.length === 0) return;
    const rows = findings.map((finding) => ({
      id: finding.id,
      status: finding.status,
      severity: finding.severity,
      score: finding.score,
      title: finding.title,
      summary: finding.summary,
      actual: finding.actual,
      expected: finding.expected,
      lower: finding.lower,
      upper: finding.upper,
      last_seen_at: finding.lastSeenAt,
      resolved_at: finding.resolvedAt,
      normal_buckets: finding.normalBuckets,
      contributors: finding.contributors,
    }));
    await this.database.execute(
      `UPDATE sentinel_findings f SET status = s.status, severity = s.severity, score = s.score, title = s.title, summary = s.summary,
         actual = s.actual, expected = s.expected, lower = s.lower, upper = s.upper, last_seen_at = s.last_seen_at,
         resolved_at = s.resolved_at, normal_buckets = s.normal_buckets, contributors = s.contributors, updated_at = clock_timestamp()
       FROM json_populate_recordset(NULL::sentinel_findings, $2::json) s WHERE f.project_id = $1 AND f.id = s.id`,
      [projectId, JSON.stringify(rows)],
      tx,
    );
  }

  /** Returns how many new event types were found in a period. */
  async countNewTypes(projectId: ProjectId, from: Date, to: Date, tx: Db): Promise<number> {
    const [row] = await this.database.rows<{ found: number }>(
      `SELECT count(*)::int AS found FROM sentinel_findings
       WHERE project_id = $1 AND kind = 'new_event_type' AND started_at >= $2 AND started_at < $3`,
      [projectId, from, to],
      tx,
    );
    return row?.found ?? 0;
  }
}
