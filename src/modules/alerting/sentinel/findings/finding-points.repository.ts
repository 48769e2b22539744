import { Injectable } from '@nestjs/common';
import type { ProjectId, ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import type { EvidencePoint } from './evidence.js';
import type { Finding } from './finding.entity.js';

/** A point with the id of its finding. */
export interface FindingPoint extends EvidencePoint {
  readonly findingId: string;
}

const COLUMNS = 'at, actual, expected, lower, upper, is_anomalous';

/** Stores the evidence points of findings from after their opening, one row for each bucket. */
@Injectable()
export class FindingPointsRepository {
  constructor(private readonly database: Database) {}

  /** Returns the points of a finding in chronological order. */
  async of(
    { projectId }: Pick<ProjectScope, 'projectId'>,
    { id }: Pick<Finding, 'id'>,
    db: Db,
  ): Promise<EvidencePoint[]> {
    const rows = await this.database.rows<Omit<EvidencePoint, 'ts'> & { readonly at: Date }>(
      `SELECT ${COLUMNS} FROM sentinel_points WHERE project_id = $1 AND finding_id = $2 ORDER BY at`,
      [projectId, id],
      db,
    );
    return rows.map(({ at, ...point }) => ({ ts: at.toISOString(), ...point }));
  }

  /**
   * Stores points. A finding has one point for each bucket, which is overwritten when the bucket is evaluated again.
   */
  async add(projectId: ProjectId, points: readonly FindingPoint[], tx: Db): Promise<void> {
    if (points.length === 0) return;
    await this.database.execute(
      `INSERT INTO sentinel_points (project_id, finding_id, ${COLUMNS})
       SELECT $1, p.* FROM unnest($2::uuid[], $3::timestamptz[], $4::float8[], $5::float8[], $6::float8[], $7::float8[], $8::boolean[])
         AS p (finding_id, ${COLUMNS})
       ON CONFLICT ON CONSTRAINT pk_sentinel_points DO UPDATE SET actual = excluded.actual, expected = excluded.expected,
         lower = excluded.lower, upper = excluded.upper, is_anomalous = excluded.is_anomalous`,
      [
        projectId,
        points.map(({ findingId }) => findingId),
        points.map(({ ts }) => ts),
        points.map(({ actual }) => actual),
        points.map(({ expected }) => expected),
        points.map(({ lower }) => lower),
        points.map(({ upper }) => upper),
        points.map((one) => one.is_anomalous),
      ],
      tx,
    );
  }

  /** Deletes points of long findings up to and including a time. */
  async removeUntil(projectId: ProjectId, findingIds: readonly string[], until: Date, tx: Db): Promise<void> {
    if (findingIds.length === 0) return;
    await this.database.execute(
      'DELETE FROM sentinel_points WHERE project_id = $1 AND finding_id = ANY ($2::uuid[]) AND at <= $3',
      [projectId, findingIds, until],
      tx,
    );
  }
}
