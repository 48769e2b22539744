import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type AfterQueryEvent, DataSource, type EntitySubscriberInterface } from 'typeorm';
import { currentContext, isTracing, type LeanHistogram, Metrics, recordSpan } from '../telemetry/index.js';

/** Maximum number of characters of a statement in a span. */
const MOST_TEXT = 1_000;

type Series = ReturnType<LeanHistogram['series']>;

/** Commands that have a metric series of their own. All other commands share the series `other`. */
const KINDS: ReadonlySet<string> = new Set(['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'COMMIT']);

/** Measures the duration of the statements of the request pool, by kind. TypeORM measures it in whole milliseconds. */
@Injectable()
export class QueryTimes implements EntitySubscriberInterface, OnModuleInit {
  private readonly seconds: LeanHistogram;
  private readonly byKind = new Map<string, Series>();

  constructor(
    private readonly source: DataSource,
    metrics: Metrics,
  ) {
    this.seconds = metrics.leanHistogram(
      'oes_database_query_seconds',
      'Time of a statement from its sending to its last row, by kind',
    );
  }

  onModuleInit(): void {
    this.source.subscribers.push(this);
  }

  afterQuery(event: AfterQueryEvent): void {
    if (isTracing()) trace(event);
    const { success, executionTime } = event;
    if (!success || executionTime === undefined) return;
    const { command } = (event.rawResults ?? {}) as { command?: string };
    const kind = command !== undefined && KINDS.has(command) ? command.toLowerCase() : 'other';
    this.seriesOf(kind).observe(executionTime / 1_000);
  }

  private seriesOf(kind: string): Series {
    const known = this.byKind.get(kind);
    if (known !== undefined) return known;
    const series = this.seconds.series({ kind });
    this.byKind.set(kind, series);
    return series;
  }
}

/** Records a span for a statement of a traced request or job. The text has placeholders instead of values. */
function trace({ success, executionTime, query }: AfterQueryEvent): void {
  const parent = currentContext()?.traceparent;
  if (parent === undefined || executionTime === undefined) return;
  recordSpan({
    kind: 'client',
    name: query.trimStart().split(/\s/, 1)[0]?.toUpperCase() ?? 'statement',
    parent,
    seconds: executionTime / 1_000,
    attributes: { 'db.system.name': 'postgresql', 'db.query.text': query.slice(0, MOST_TEXT) },
    failure: success ? undefined : 'the statement failed',
  });
}
