import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../platform/access/index.js';
import { Clock } from '../../platform/clock/index.js';
import { ProjectsRepository, type Range } from '../projects/index.js';
import { logRow } from './log-row.js';
import type { LogRow, LogsQuery } from './logs.dto.js';
import { LogsRepository } from './logs.repository.js';

const MINUTE_MS = 60_000;
const RANGE_MS: Readonly<Record<Exclude<Range, 'all'>, number>> = {
  '15m': 15 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
  '24h': 24 * 60 * MINUTE_MS,
  '7d': 7 * 24 * 60 * MINUTE_MS,
  '30d': 30 * 24 * 60 * MINUTE_MS,
};

@Injectable()
export class LogsService {
  constructor(
    private readonly logs: LogsRepository,
    private readonly projects: ProjectsRepository,
    private readonly clock: Clock,
  ) {}

  async list(scope: ProjectScope, query: LogsQuery): Promise<LogRow[]> {
    const to = this.clock.now();
    const from = query.range === 'all' ? new Date(0) : new Date(to.getTime() - RANGE_MS[query.range]);
    const { name } = await this.projects.get(scope);
    const method = query.method?.toUpperCase();
    const text = query.query === '' ? undefined : query.query;
    const rows = await this.logs.list(scope, {
      from,
      to,
      method: method === 'ALL' || method === '' ? undefined : method,
      hideNoise: query.hide_noise,
      // The project's name is the same in every row, so a text found in it keeps them all.
      text: text !== undefined && name.toLowerCase().includes(text.toLowerCase()) ? undefined : text,
      limit: query.limit,
    });
    return rows.map((row) => logRow(row, name));
  }
}
