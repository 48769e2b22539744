import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { type RollupPlan, type ReadTime, RequestStatsReader } from '../event-store/index.js';
import type { RequestSelection } from './request-selection.js';

const DAY_MS = 86_400_000;

/** Finds the time of the first request. No part of a plan is longer than a day, so it scans one day at most. */
@Injectable()
export class FirstRequestReader {
  constructor(private readonly stats: RequestStatsReader) {}

  /** @returns null when there is none */
  async among(
    scope: ProjectScope,
    plan: RollupPlan,
    { window, filter }: RequestSelection,
    time: ReadTime,
    tx: Db,
  ): Promise<Date | null> {
    const from = await this.stats.firstPart(scope, plan, filter, time, tx);
    if (from === null) return null;
    await time.limit();
    const to = new Date(Math.min(from.getTime() + DAY_MS, window.to.getTime()));
    return this.stats.firstAt(scope, { from, to }, filter, time, tx);
  }
}
