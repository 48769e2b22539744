import { Injectable } from '@nestjs/common';
import { projectOf, type ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { type Bind, Parameters } from '../../../../platform/database/parameters.js';
import type { Severity } from '../detectors/assessment.js';
import type { FindingKind } from '../detection/finding-kinds.js';
import { Finding } from './finding.entity.js';
import { type ListedFinding, LISTED_COLUMNS } from './finding-columns.js';
import { FindingNotFound } from './findings.errors.js';
import type { FindingStatus } from './finding-life.js';

type Tenant = Pick<ProjectScope, 'projectId'>;

export interface FindingsFilter {
  readonly status: readonly FindingStatus[];
  readonly kind: readonly FindingKind[];
  readonly severity: readonly Severity[];
  readonly seriesValue?: string | undefined;
  /** Limits when findings began: at `from` or later, and before `to`. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

export interface DetectorCounts {
  readonly kind: FindingKind;
  readonly findings: number;
  readonly dismissed: number;
}

const KEPT = `interval '90 days'`;

export const ProjectOfFinding = projectOf('finding_id', Finding, FindingNotFound);

/** Reads findings for people, and writes the actions of people on findings. */
@Injectable()
export class FindingsRepository {
  constructor(private readonly database: Database) {}

  /** Returns a page of findings, the latest beginning first, and the number of all that match. */
  async list(
    { projectId }: Tenant,
    filter: FindingsFilter,
    { limit, offset }: { readonly limit: number; readonly offset: number },
  ): Promise<{ items: ListedFinding[]; total: number }> {
    const { bind, values } = new Parameters();
    // A filter that is not set adds no condition, so that all findings can be counted by the index alone.
    const project = bind(projectId);
    const fits = ['true', ...conditionsOf(filter, bind)].join(' AND ');
    // One statement reads the count and the page, so that both are from the same moment and take one round trip.
    const rows = await this.database.rows<ListedFinding & { total: number; isShown: boolean }>(
      `SELECT counted.total, page.id IS NOT NULL AS "isShown", page.*
       FROM (SELECT count(*)::int AS total FROM sentinel_findings f WHERE f.project_id = ${project} AND ${fits}) counted
       LEFT JOIN LATERAL (
         SELECT ${LISTED_COLUMNS} FROM sentinel_findings f WHERE f.project_id = ${project} AND ${fits}
         ORDER BY f.started_at DESC, f.id DESC LIMIT ${bind(limit)} OFFSET ${bind(offset)}) page ON true
       ORDER BY page."startedAt" DESC, page.id DESC`,
      values,
    );
    return { items: rows.filter(({ isShown }) => isShown), total: rows[0]?.total ?? 0 };
  }

  find({ projectId }: Tenant, id: string, db?: Db): Promise<Finding | null> {
    return this.database.repository(Finding, db).findOneBy({ projectId, id });
  }

  /** Returns a finding and locks its row. Waits for a round that is changing the finding. */
  lock({ projectId }: Tenant, id: string, tx: Db): Promise<Finding | null> {
    return this.database
      .repository(Finding, tx)
      .findOne({ where: { projectId, id }, lock: { mode: 'for_no_key_update' } });
  }

  /** Returns the unresolved findings, the worst first. */
  unresolved({ projectId }: Tenant): Promise<ListedFinding[]> {
    return this.database.rows<ListedFinding>(
      `SELECT ${LISTED_COLUMNS} FROM sentinel_findings f WHERE f.project_id = $1 AND f.status IN ('open', 'acknowledged')
       ORDER BY array_position(ARRAY['critical', 'warning', 'info'], f.severity), f.started_at DESC, f.id DESC`,
      [projectId],
    );
  }

  /** Returns for each kind how many findings began, and how many were dismissed, in the last seven days. */
  counts({ projectId }: Tenant): Promise<DetectorCounts[]> {
    return this.database.rows<DetectorCounts>(
      `SELECT kind, (count(*) FILTER (WHERE started_at > now() - interval '7 days'))::int AS findings,
              (count(*) FILTER (WHERE dismissed_at > now() - interval '7 days'))::int AS dismissed
       FROM sentinel_findings WHERE project_id = $1 AND updated_at > now() - interval '7 days' GROUP BY kind`,
      [projectId],
    );
  }

  async acknowledge({ projectId, id }: Finding, userId: string, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE sentinel_findings SET status = 'acknowledged', acknowledged_at = clock_timestamp(), acknowledged_by = $3,
         updated_at = clock_timestamp() WHERE project_id = $1 AND id = $2`,
      [projectId, id, userId],
      tx,
    );
  }

  async dismiss(
    { projectId, id }: Finding,
    { userId, reason, note }: { userId: string; reason: string; note: string | null },
    tx: Db,
  ): Promise<void> {
    await this.database.execute(
      `UPDATE sentinel_findings SET status = 'dismissed', dismissed_at = clock_timestamp(), dismissed_by = $3,
         feedback_reason = $4, feedback_note = $5, updated_at = clock_timestamp() WHERE project_id = $1 AND id = $2`,
      [projectId, id, userId, reason, note],
      tx,
    );
  }

  /** Deletes at most `limit` findings that were resolved or dismissed more than 90 days ago. @returns how many */
  removeOld(limit: number): Promise<number> {
    return this.database.execute(
      `DELETE FROM sentinel_findings WHERE id IN (
         SELECT id FROM sentinel_findings WHERE /* every tenant: what is kept no longer */
           status IN ('resolved', 'dismissed') AND updated_at < now() - ${KEPT}
           AND coalesce(dismissed_at, resolved_at) < now() - ${KEPT} LIMIT $1)`,
      [limit],
    );
  }
}

/** Returns the conditions of a filter. An empty list matches every value. */
function conditionsOf({ status, kind, severity, seriesValue, from, to }: FindingsFilter, bind: Bind): string[] {
  return [
    ...(status.length === 0 ? [] : [`f.status = ANY (${bind(status)}::text[])`]),
    ...(kind.length === 0 ? [] : [`f.kind = ANY (${bind(kind)}::text[])`]),
    ...(severity.length === 0 ? [] : [`f.severity = ANY (${bind(severity)}::text[])`]),
    ...(seriesValue === undefined ? [] : [`f.series_value = ${bind(seriesValue)}`]),
    ...(from === undefined ? [] : [`f.started_at >= ${bind(from)}`]),
    ...(to === undefined ? [] : [`f.started_at < ${bind(to)}`]),
  ];
}
