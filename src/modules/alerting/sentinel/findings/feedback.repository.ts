import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import type { FindingKind, Metric, SeriesType, FindingSubject } from '../detection/finding-kinds.js';

/** The feedback of people on a kind and series that still counts. */
export interface Feedback extends FindingSubject {
  readonly isMuted: boolean;
  /** How often the bounds were raised in the last 30 days, at most three times. */
  readonly raises: number;
}

interface Row {
  readonly kind: FindingKind;
  readonly type: SeriesType;
  readonly value: string;
  readonly metric: Metric;
  readonly isMuted: boolean;
  readonly raises: number;
}

/** At most this many raises of the bounds count, each for `RAISED_FOR`. */
const MOST_RAISES = 3;
const RAISED_FOR = `interval '30 days'`;

/** Stores until when dismissals mute later findings, and how often they have raised the bounds. */
@Injectable()
export class FeedbackRepository {
  constructor(private readonly database: Database) {}

  /** @param until the end of a bucket; a mute that ends within the bucket no longer counts */
  async of(projectId: ProjectId, until: Date, tx: Db): Promise<Feedback[]> {
    const rows = await this.database.rows<Row>(
      `SELECT kind, series_type AS type, series_value AS value, metric, coalesce(muted_until >= $2, false) AS "isMuted",
              least(${MOST_RAISES}, (SELECT count(*) FROM unnest(raised_at) AS r (at) WHERE r.at > $2 - ${RAISED_FOR}))::int AS raises
       FROM sentinel_feedback WHERE project_id = $1`,
      [projectId, until],
      tx,
    );
    return rows.map(({ kind, type, value, metric, isMuted, raises }) => ({
      kind,
      series: { type, value: type === 'project' ? null : value },
      metric,
      isMuted,
      raises,
    }));
  }

  /** Mutes a kind and series for `muteHours` from now (0 ends a mute), and raises its bounds if `raises`. */
  async add(
    projectId: ProjectId,
    { kind, series, metric }: FindingSubject,
    { muteHours, raises }: { muteHours: number; raises: boolean },
    tx: Db,
  ): Promise<void> {
    await this.database.execute(
      `INSERT INTO sentinel_feedback AS f (project_id, kind, series_type, series_value, metric, muted_until, raised_at)
       VALUES ($1, $2, $3, $4, $5, CASE WHEN $6 > 0 THEN clock_timestamp() + make_interval(hours => $6) END,
               CASE WHEN $7 THEN ARRAY[clock_timestamp()] ELSE '{}' END)
       ON CONFLICT ON CONSTRAINT pk_sentinel_feedback DO UPDATE SET muted_until = excluded.muted_until,
         raised_at = (SELECT coalesce(array_agg(r.at ORDER BY r.at), '{}') FROM (
           SELECT u.at FROM unnest(f.raised_at || excluded.raised_at) AS u (at)
           WHERE u.at > clock_timestamp() - ${RAISED_FOR} ORDER BY u.at DESC LIMIT ${MOST_RAISES}) r)`,
      [projectId, kind, series.type, series.value ?? '', metric, muteHours, raises],
      tx,
    );
  }
}
