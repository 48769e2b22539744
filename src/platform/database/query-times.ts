import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type AfterQueryEvent, DataSource, type EntitySubscriberInterface } from 'typeorm';
import { type LeanHistogram, Metrics } from '../telemetry/index.js';

type Series = ReturnType<LeanHistogram['series']>;

/** Commands that have a series of their own. All others share `other`. */
const KINDS: ReadonlySet<string> = new Set(['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'COMMIT']);

/** Measures the statements of the pool for requests by kind, in milliseconds as exact as TypeORM measures them. */
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

  afterQuery({ success, executionTime, rawResults }: AfterQueryEvent): void {
    if (!success || executionTime === undefined) return;
    const { command } = (rawResults ?? {}) as { command?: string };
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
