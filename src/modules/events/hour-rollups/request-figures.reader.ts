import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { Parameters } from '../../../platform/database/parameters.js';
import type { TimeWindow } from '../totals/index.js';
import { figuresSql } from './figures.repository.js';
import { lookedSql } from './looked.repository.js';
import type { ReadingPlan } from './reading-plan.js';
import { isNamed, namedConditions, requestConditions, type RequestFilter } from './request-filter.js';
import type { FigureRow } from './request-figures.js';

const FIGURES = `requests::float8 AS requests, client_errors::float8 AS "clientErrors", errors::float8 AS errors,
  measured::float8 AS measured, fast::float8 AS fast, slow::float8 AS slow, latency_sum::float8 AS "latencySum",
  latency_min AS "latencyMin", latency_max AS "latencyMax", latencies::text AS latencies, counts::text AS counts,
  failed_counts::text AS "failedCounts"`;
const NAMES = { method: 'method', endpoint: 'endpoint' };

/** Figures of one part of a plan, which begins at `part`. */
export interface PartFigures extends FigureRow {
  readonly part: Date;
}

type Scope = Pick<ProjectScope, 'projectId'>;

/** What the requests of a window add up to, part by part of its plan. */
@Injectable()
export class RequestFiguresReader {
  constructor(private readonly database: Database) {}

  /** Several rows may be of one part. */
  read({ projectId }: Scope, plan: ReadingPlan, filter: RequestFilter, tx: Db): Promise<PartFigures[]> {
    const parameters = new Parameters();
    const project = parameters.bind(projectId);
    const [days, hours] = [parameters.bind(plan.days), parameters.bind(plan.hours)];
    // A rollup as a whole, or the pairs of it that are asked for.
    const rolled = isNamed(filter)
      ? `SELECT day AS part, ${FIGURES} FROM endpoint_days
         WHERE project_id = ${project} AND day = ANY (${days}::timestamptz[])${namedConditions(filter, NAMES, parameters)}
         UNION ALL
         SELECT hour, ${FIGURES} FROM endpoint_hours
         WHERE project_id = ${project} AND hour = ANY (${hours}::timestamptz[])${namedConditions(filter, NAMES, parameters)}`
      : `SELECT day AS part, ${FIGURES} FROM (SELECT *, counted AS requests FROM day_rollups) d
         WHERE project_id = ${project} AND day = ANY (${days}::timestamptz[])
         UNION ALL
         SELECT hour, ${FIGURES} FROM (SELECT *, counted AS requests FROM hour_rollups) h
         WHERE project_id = ${project} AND hour = ANY (${hours}::timestamptz[])`;
    const looked = lookedSql(project, plan.spans, requestConditions(filter, parameters), parameters, 'whole');
    return this.database.rows<PartFigures>(
      `WITH ${looked}, ${figuresSql('whole')}
       SELECT part, ${FIGURES} FROM figured UNION ALL ${rolled} /* tenant: each part compares the project */`,
      parameters.values,
      tx,
    );
  }

  /** When the first request of a span was. */
  async firstAt({ projectId }: Scope, { from, to }: TimeWindow, filter: RequestFilter, tx: Db): Promise<Date | null> {
    const parameters = new Parameters();
    const [row] = await this.database.rows<{ timestamp: Date }>(
      `SELECT "timestamp" FROM events
       WHERE project_id = ${parameters.bind(projectId)} AND "timestamp" >= ${parameters.bind(from)}
         AND "timestamp" < ${parameters.bind(to)}${requestConditions(filter, parameters)}
       ORDER BY "timestamp" LIMIT 1`,
      parameters.values,
      tx,
    );
    return row?.timestamp ?? null;
  }
}
