import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { changeOf, ratioOf, windowHead } from '../../time-ranges/index.js';
import { type BreakdownRow, BreakdownsReader, type AggregationQuery, scalarOf } from '../../event-store/index.js';
import type { BreakdownItem, BreakdownQuery, BreakdownResponse } from './breakdown.dto.js';
import { SourceNamesReader } from '../../../entitlement/sources/index.js';
import { Questions } from '../queries/questions.js';

const NOTHING = { events: 0, errors: 0, more: 0 };

/** Reports the most frequent values of a field, each with its events, errors, share and change. */
@Injectable()
export class BreakdownService {
  constructor(
    private readonly questions: Questions,
    private readonly breakdowns: BreakdownsReader,
    private readonly sources: SourceNamesReader,
  ) {}

  /** @throws ValidationError, QueryTooLong, TooManyQueries */
  async of(scope: ProjectScope, query: BreakdownQuery, signal: AbortSignal): Promise<BreakdownResponse> {
    const { by, limit } = query;
    const question = await this.questions.of(scope, query);
    const rows = await this.breakdowns.rows(question, { by, limit }, signal);
    const [total = NOTHING] = rows.filter(({ part }) => part === 'total');
    const [missing = NOTHING] = rows.filter(({ part }) => part === 'missing');
    const items = rows.filter(({ part }) => part === 'item').map((row) => itemOf(row, total.events, question));
    const names =
      by === 'source_id'
        ? await this.sources.of(
            scope,
            items.map(({ value }) => String(value)),
          )
        : null;
    const sumOf = (name: 'events' | 'errors'): number => items.reduce((sum, item) => sum + item[name], missing[name]);
    return {
      ...windowHead(scope.projectId, question.projectName, question.window),
      by,
      total: { events: total.events, errors: total.errors },
      distinct: total.more,
      items: names === null ? items : items.map((item) => ({ ...item, name: names.get(String(item.value)) ?? null })),
      missing: { events: missing.events, errors: missing.errors },
      other: {
        events: total.events - sumOf('events'),
        errors: total.errors - sumOf('errors'),
        values: total.more - items.length,
      },
    };
  }
}

function itemOf({ key, events, errors, more }: BreakdownRow, all: number, { before }: AggregationQuery): BreakdownItem {
  const previous = before === null ? null : more;
  return {
    value: scalarOf(key ?? '') ?? '',
    events,
    errors,
    error_rate: ratioOf(errors, events),
    share: ratioOf(events, all),
    previous_events: previous,
    change: changeOf(events, previous),
  };
}
