import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { type PartFigures, RequestFiguresReader } from '../hour-rollups/index.js';
import type { AskedRequests } from './asked-requests.js';

const DAY_MS = 86_400_000;

/** When the first request was: no part of a plan is longer than a day, so one day is looked through at most. */
@Injectable()
export class FirstRequestReader {
  constructor(private readonly figures: RequestFiguresReader) {}

  /** @returns null when there is none */
  async among(
    scope: ProjectScope,
    parts: readonly PartFigures[],
    { window, filter }: AskedRequests,
    tx: Db,
  ): Promise<Date | null> {
    const beginnings = parts.filter(({ requests }) => requests > 0).map(({ part }) => part.getTime());
    if (beginnings.length === 0) return null;
    const from = beginnings.reduce((least, one) => Math.min(least, one));
    const to = Math.min(from + DAY_MS, window.to.getTime());
    return this.figures.firstAt(scope, { from: new Date(from), to: new Date(to) }, filter, tx);
  }
}
