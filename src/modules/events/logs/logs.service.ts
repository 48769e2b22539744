import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { fold } from '../../../platform/case-folding/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { brokenRule } from '../../../platform/http/validation/index.js';
import { writeList, type WrittenJson } from '../../../platform/http/written-json.js';
import { EventPageReader } from '../reads/index.js';
import { ProjectsReader } from '../../tenancy/projects/index.js';
import { TimeRangeResolver, conditionOf } from '../time-ranges/index.js';
import { LOG_ROWS, logRow } from './log-row.js';
import type { LogRow, LogsQuery } from './logs.dto.js';
import { EventListReader, LogsReader, type Locator } from '../event-store/index.js';

@Injectable()
export class LogsService {
  constructor(
    private readonly timeRanges: TimeRangeResolver,
    private readonly logs: LogsReader,
    private readonly events: EventListReader,
    private readonly pages: EventPageReader,
    private readonly projects: ProjectsReader,
    private readonly clock: Clock,
  ) {}

  async list(scope: ProjectScope, query: LogsQuery, signal: AbortSignal): Promise<WrittenJson<LogRow[]>> {
    const where = conditionOf(query.where, 'query');
    const window = await this.timeRanges.of(query, this.clock.now(), 'query');
    const before = query.before === undefined ? null : await this.locatorOf(scope, query.before);
    const named = this.projects.nameOf(scope);
    const method = query.method?.toUpperCase();
    const text = query.query === '' ? undefined : query.query;
    // Every row has the name of the project, so a text that the name contains matches every row.
    const isInName = text !== undefined && fold(await named).includes(fold(text));
    const filter = {
      method: method === 'ALL' || method === '' ? undefined : method,
      hideNoise: query.hide_noise,
      text: isInName ? undefined : text,
      before,
    };
    const [name, locators] = await Promise.all([
      named,
      where === null
        ? this.logs.list(scope, window, filter, query.limit)
        : this.logs.matching(scope, window, { ...filter, where }, query.limit, signal),
    ]);
    return this.pages.answer(scope, locators, LOG_ROWS, (rows) => writeList(rows.map((row) => logRow(row, name))));
  }

  /** @throws ValidationError when the project has no such row */
  private async locatorOf(scope: ProjectScope, id: string): Promise<Locator> {
    const locator = await this.events.find(scope, id);
    if (locator === null) throw brokenRule(['query', 'before'], 'before must be the id of a log row', id);
    return locator;
  }
}
