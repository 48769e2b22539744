import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { fold } from '../../../platform/case-folding/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { writeList, type WrittenJson } from '../../../platform/http/written-json.js';
import { EventPageReader } from '../reads/index.js';
import { ProjectsReader } from '../../tenancy/projects/index.js';
import { AskedWindows, conditionOf } from '../asked-windows/index.js';
import { LOG_ROWS, logRow } from './log-row.js';
import type { LogRow, LogsQuery } from './logs.dto.js';
import { LogsReader } from '../event-store/index.js';

@Injectable()
export class LogsService {
  constructor(
    private readonly windows: AskedWindows,
    private readonly logs: LogsReader,
    private readonly pages: EventPageReader,
    private readonly projects: ProjectsReader,
    private readonly clock: Clock,
  ) {}

  async list(scope: ProjectScope, query: LogsQuery, signal: AbortSignal): Promise<WrittenJson<LogRow[]>> {
    const where = conditionOf(query.where, 'query');
    const { from, to } = await this.windows.ofRange(query.range, this.clock.now());
    const named = this.projects.nameOf(scope);
    const method = query.method?.toUpperCase();
    const text = query.query === '' ? undefined : query.query;
    // Every row has the name of the project, so a text that the name contains matches every row.
    const isInName = text !== undefined && fold(await named).includes(fold(text));
    const filter = {
      method: method === 'ALL' || method === '' ? undefined : method,
      hideNoise: query.hide_noise,
      text: isInName ? undefined : text,
    };
    // The window includes the current millisecond.
    const window = { from, to: new Date(to.getTime() + 1) };
    const [name, places] = await Promise.all([
      named,
      where === null
        ? this.logs.list(scope, window, filter, query.limit)
        : this.logs.matching(scope, window, { ...filter, where }, query.limit, signal),
    ]);
    return this.pages.answer(scope, places, LOG_ROWS, (rows) => writeList(rows.map((row) => logRow(row, name))));
  }
}
