import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';
import type { FilterSubject } from '../../conditions/index.js';
import {
  type ScanRow,
  ScanSelection,
  EventScan,
  ArchivedEventsReader,
  ClickHouseScanReader,
  ClickHouseUnavailable,
  type Joined,
  joinedBy,
  KeysUntold,
  type TimeWindow,
  type ScanOptions,
} from '../../event-store/index.js';
import { type ReadDeadline, LongSnapshots } from '../../long-reads/index.js';
import {
  eventCondition,
  type EventFilterNode,
  type EventQuery,
  type Field,
  type Query,
  type SampleQuery,
  type SequenceQuery,
  type Term,
} from '../../eql-language/index.js';
import { keyReader, type KeyReader, type KeyTuple, type KeyValue } from '../matching/join-keys.js';
import type { MatchedEvent } from '../matching/matched-event.js';
import { PendingBudget } from '../matching/pending-budget.js';
import { type ResultPosition, ResultWindow, type Shown } from '../matching/result-window.js';
import { SampleCollector } from '../matching/sample-collector.js';
import { SequenceMachine, type TermHits } from '../matching/sequence-machine.js';
import { sequencePlan } from '../matching/sequence-plan.js';
import { RunLimits } from './run-limits.js';

export interface RunOptions {
  readonly window: TimeWindow;
  readonly limit: number;
  readonly position: ResultPosition;
  readonly samplesPerKey: number;
}

/** One result: a single event, or the events of a sequence or sample, with null for a missing event. */
export interface Found {
  readonly keys: readonly KeyValue[];
  readonly events: readonly (MatchedEvent | null)[];
}

export interface Outcome extends Shown<Found> {
  /** The number of events that were scanned. */
  readonly scanned: number;
}

/** The candidates that a query reads, and the functions that process them. */
interface Run {
  readonly selection: ScanSelection;
  /** One reader of join keys for each term. */
  readonly keys: readonly KeyReader<ScanRow>[];
  readonly options: Pick<ScanOptions, 'isNewestFirst' | 'wanted' | 'withSizes'>;
  /** The keys that a read can be limited to. Null when any event may matter. */
  readonly joined: Joined | null;
  /**
   * @param hits is reused for the next event
   * @returns whether more events may be wanted
   */
  push(event: MatchedEvent, hits: TermHits): boolean;
  end(): Shown<Found>;
}

/** Runs checked queries, each as a long read. */
@Injectable()
export class QueryRunner {
  constructor(
    private readonly snapshots: LongSnapshots,
    private readonly scan: EventScan,
    private readonly clickHouse: ClickHouseScanReader,
    private readonly archived: ArchivedEventsReader,
    private readonly limits: RunLimits,
  ) {}

  /**
   * @param signal ends the query, which then throws the reason of the signal
   * @throws QueryTooLong, TooManyQueries, QueryNeedsTooMuchMemory, ArchiveUnavailable
   */
  run(scope: ProjectScope, query: Query, options: RunOptions, signal?: AbortSignal): Promise<Outcome> {
    const { milliseconds, pendingPartials } = this.limits;
    const { window } = options;
    const begun = (): Run => runOf(query, options, new PendingBudget(pendingPartials));
    return this.snapshots.run(
      scope,
      async (tx, deadline) => {
        const replicated = await this.fromClickHouse(tx, scope, window, begun, deadline, signal);
        this.clickHouse.countRead(replicated === null ? 'postgres' : 'clickhouse');
        if (replicated === null) await this.archived.assertNotArchived(window);
        return replicated ?? this.read(tx, scope, window, begun(), { deadline });
      },
      { milliseconds, ...(signal && { signal }) },
    );
  }

  /** Runs the query with events from ClickHouse. @returns null when only PostgreSQL can answer */
  private async fromClickHouse(
    tx: Db,
    scope: ProjectScope,
    window: TimeWindow,
    begun: () => Run,
    deadline: ReadDeadline,
    signal: AbortSignal | undefined,
  ): Promise<Outcome | null> {
    const inOrder = async (run: Run, options: Run['options']): Promise<Outcome | null> => {
      const rows = await this.clickHouse.rows(tx, scope, window, run.selection, { ...options, deadline }, signal);
      return rows && (await this.read(tx, scope, window, run, { deadline, rows }));
    };
    try {
      const run = begun();
      const { joined, options } = run;
      if (joined === null) return await inOrder(run, options);
      if (options.wanted === 'some') {
        // This many candidates are enough for most queries.
        const { firstScanRows: wanted } = this.limits;
        const outcome = await inOrder(run, { ...options, wanted });
        if (outcome === null || outcome.scanned < wanted) return outcome;
      }
      try {
        return await this.ofWholeKeys(tx, scope, window, begun(), joined, deadline, signal);
      } catch (error) {
        if (!(error instanceof KeysUntold)) throw error;
        return await inOrder(begun(), options);
      }
    } catch (error) {
      if (error instanceof ClickHouseUnavailable) return null;
      throw error;
    }
  }

  /**
   * Does the same as {@link fromClickHouse}, but reads only the events of keys that have an event of each required
   * term.
   */
  private async ofWholeKeys(
    tx: Db,
    scope: ProjectScope,
    window: TimeWindow,
    run: Run,
    joined: Joined,
    deadline: ReadDeadline,
    signal: AbortSignal | undefined,
  ): Promise<Outcome | null> {
    const candidates = await this.clickHouse.joined(tx, scope, window, run.selection, joined, { deadline }, signal);
    if (candidates === null) return null;
    const { rows, count } = candidates;
    let last: Pick<MatchedEvent, 'id' | 'ms'> | null = null;
    const push = (event: MatchedEvent, hits: TermHits): boolean => {
      const wantsMore = run.push(event, hits);
      if (!wantsMore) last = event;
      return wantsMore;
    };
    const outcome = await this.read(tx, scope, window, { ...run, push }, { deadline, rows });
    return { ...outcome, scanned: await count(last) };
  }

  private async read(
    tx: Db,
    scope: ProjectScope,
    window: TimeWindow,
    { selection, options, ...run }: Run,
    reading: Pick<ScanOptions, 'deadline' | 'rows'>,
  ): Promise<Outcome> {
    const { deadline } = reading;
    const conditions = selection.terms.map(({ condition }) => condition);
    const hits: (readonly KeyTuple[] | undefined)[] = conditions.map(() => undefined);
    const visit = (row: ScanRow, number: number): boolean => {
      let subject: FilterSubject | undefined;
      for (let term = 0; term < conditions.length; term += 1) {
        const condition = conditions[term];
        const fits =
          condition !== undefined &&
          selection.mayFit(row, term) &&
          (condition.isExact || condition.truth((subject ??= selection.subject(row)), deadline) === true);
        hits[term] = fits ? run.keys[term]?.(row) : undefined;
      }
      const { id, ms, size, record } = row;
      const event = { id, ms, ordinal: number, ...(size && { size }), ...(record && { record }) };
      return run.push(event, hits);
    };
    const scanned = await this.scan.forEach(tx, scope, window, selection, { ...options, ...reading }, visit);
    return { ...run.end(), scanned };
  }
}

function runOf(query: Query, options: RunOptions, budget: PendingBudget): Run {
  switch (query.type) {
    case 'events':
      return eventRun(query, options, budget);
    case 'sequence':
      return sequenceRun(query, options, budget);
    case 'sample':
      return sampleRun(query, options, budget);
  }
}

function termOf({ category, condition }: EventFilterNode) {
  return { category, condition: eventCondition(condition) };
}

/** Runs an event query. When only the last events are wanted, the window is read from its end. */
function eventRun({ filter, pipes }: EventQuery, { limit, position }: RunOptions, budget: PendingBudget): Run {
  const selection = new ScanSelection([termOf(filter)], []);
  const keys = [keyReader([], selection.reader.bind(selection))];
  const [first, ...others] = pipes;
  const last = first?.name === 'tail' ? first.count : first === undefined && position === 'tail' ? limit + 1 : null;
  if (last === null) {
    const shown = new ResultWindow<Found>(pipes, limit, position, budget);
    return {
      selection,
      keys,
      joined: null,
      options: {
        isNewestFirst: false,
        wanted: selection.isExact ? (first?.count ?? limit + 1) : 'some',
        withSizes: true,
      },
      push: (event, [hit]) => hit === undefined || shown.add({ keys: [], events: [event] }),
      end: () => shown.end(),
    };
  }
  const newest: MatchedEvent[] = [];
  return {
    selection,
    keys,
    joined: null,
    options: { isNewestFirst: true, wanted: selection.isExact ? last : 'some', withSizes: true },
    push: (event, [hit]) => {
      if (hit === undefined) return true;
      budget.take();
      return newest.push(event) < last;
    },
    end: () => {
      budget.giveBack(newest.length);
      const shown = new ResultWindow<Found>(others, limit, position, budget);
      for (const event of newest.reverse()) if (!shown.add({ keys: [], events: [event] })) break;
      return shown.end();
    },
  };
}

/**
 * Returns the selection, the readers of keys and the joined keys of a query whose events are joined by keys.
 * @param needed the terms of which every result has an event
 */
function ofKeys(
  common: readonly Field[],
  terms: readonly Term[],
  needed: readonly number[],
): Pick<Run, 'selection' | 'keys' | 'joined'> {
  const selection = new ScanSelection(
    terms.map(({ filter }) => termOf(filter)),
    [...common, ...terms.flatMap(({ keys }) => keys)],
  );
  return {
    selection,
    keys: terms.map(({ keys }) => keyReader([...common, ...keys], selection.reader.bind(selection))),
    // Terms with keys of their own have the common keys, too.
    joined: joinedBy(common, [...new Set(needed)]),
  };
}

function sequenceRun(query: SequenceQuery, { limit, position }: RunOptions, budget: PendingBudget): Run {
  const plan = sequencePlan(query);
  const terms = query.until === null ? query.terms : [...query.terms, query.until];
  const shown = new ResultWindow<Found>(query.pipes, limit, position, budget);
  let wantsMore = true;
  // An event of any key after the span proves that a trailing event is missing, and `scanned` counts up to that event.
  // So such a query must read the events of all keys.
  const isEndedByOthers = plan.trailing.length > 0;
  const machine = new SequenceMachine(plan, budget, ({ keys, events }) => {
    const laidOut = plan.layout.map((stage) => (stage === null ? null : (events[stage] ?? null)));
    if (wantsMore) wantsMore = shown.add({ keys, events: laidOut });
  });
  return {
    ...ofKeys(query.keys, terms, isEndedByOthers ? [] : plan.stages),
    options: { isNewestFirst: false, wanted: shown.wantsAll ? 'all' : 'some' },
    push: (event, hits) => {
      machine.push(event, hits);
      return wantsMore;
    },
    end: () => {
      machine.end();
      return shown.end();
    },
  };
}

function sampleRun(query: SampleQuery, { limit, position, samplesPerKey }: RunOptions, budget: PendingBudget): Run {
  const { terms } = query;
  const collector = new SampleCollector(terms.length, samplesPerKey, budget);
  return {
    ...ofKeys(query.keys, terms, [...terms.keys()]),
    options: { isNewestFirst: false, wanted: 'all' },
    push: (event, hits) => {
      collector.push(event, hits);
      return true;
    },
    end: () => {
      const shown = new ResultWindow<Found>([], limit, position, budget);
      for (const sample of collector.samples()) if (!shown.add(sample)) break;
      return shown.end();
    },
  };
}
