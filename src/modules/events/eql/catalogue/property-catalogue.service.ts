import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { ArchiveUnavailable, EventRowsReader, NewestEventsReader, type Selection } from '../../event-store/index.js';
import { ReadBudget, TooManyLargeReads } from '../../reads/index.js';
import { LongSnapshots, QueryTooLong } from '../../long-reads/index.js';
import { observeSchema, SAMPLE_BYTES, SAMPLE_EVENTS, type SampledEvent } from '../../source-monitoring/index.js';
import { type Field, nearestName, OWN_FIELDS, writtenProperty } from '../../eql-language/index.js';
import { RunLimits } from '../running/run-limits.js';

const SAMPLED: Selection<SampledEvent> = { columns: 'event, "timestamp", properties::text AS properties' };
const TYPE_NAMES: Readonly<Record<string, string>> = { string: 'text', array: 'list' };
/**
 * The newest events that are checked first. They are a small part of the sample, and usually have all properties of a
 * query.
 */
const FIRST_LOOK = { events: 20, mostBytes: 8_192 };
/** Maximum number of listed properties. */
const MOST_PROPERTIES = 200;
const MOST_WARNINGS = 10;
/** Maximum number of names of a query that are searched for. Each search parses the properties of the whole sample. */
const MOST_LOOKED_FOR = 20;

export interface KnownProperty {
  /** The name as queries write it. */
  readonly name: string;
  /** `text`, `number`, `boolean`, `null`, `object`, `list`, separated by commas; most frequent first. */
  readonly type: string;
}

/** A {@link KnownProperty}, and its path as names joined by dots. */
interface ObservedName extends KnownProperty {
  readonly joined: string;
}

/** Lists the properties of the newest events of a project. */
@Injectable()
export class PropertyCatalogue {
  constructor(
    private readonly newest: NewestEventsReader,
    private readonly rows: EventRowsReader,
    private readonly budget: ReadBudget,
    private readonly snapshots: LongSnapshots,
    private readonly limits: RunLimits,
  ) {}

  /**
   * Returns up to 200 properties of the 500 newest events, ordered by name. Fewer events are read when they take more
   * than 4 MiB. Properties that no query can name are left out.
   * @param signal ends the reads when the client no longer waits for the response
   * @throws QueryTooLong, TooManyLargeReads
   */
  async known(scope: ProjectScope, signal: AbortSignal): Promise<KnownProperty[]> {
    const observed = await this.observed(scope, this.limits.milliseconds, signal);
    return observed.slice(0, MOST_PROPERTIES).map(({ name, type }) => ({ name, type }));
  }

  /**
   * Returns a sentence for each property of a query that none of the newest events has, with the nearest known name.
   * Only the first 20 properties of the query are checked. Warnings are optional: none are returned when they take too
   * long, when there is too little memory, or when archived events cannot be read.
   * @param signal see {@link known}
   */
  async warnings(scope: ProjectScope, fields: readonly Field[], signal: AbortSignal): Promise<string[]> {
    try {
      return await this.warningsOf(scope, fields, signal);
    } catch (error) {
      if ([QueryTooLong, TooManyLargeReads, ArchiveUnavailable].some((expected) => error instanceof expected))
        return [];
      throw error;
    }
  }

  private async warningsOf(scope: ProjectScope, fields: readonly Field[], signal: AbortSignal): Promise<string[]> {
    const paths = new Map(fields.filter(({ own }) => own === null).map(({ path }) => [path.join('.'), path]));
    const lookedFor = [...paths.values()].slice(0, MOST_LOOKED_FOR);
    if (lookedFor.length === 0) return [];
    const unknown = (await this.unknownOf(scope, lookedFor, signal)).slice(0, MOST_WARNINGS);
    if (unknown.length === 0) return [];
    const observed = await this.observed(scope, this.limits.warningMilliseconds, signal);
    const written = new Map(observed.slice(0, MOST_PROPERTIES).map(({ joined, name }) => [joined, name]));
    // A misspelt field of the service is parsed as a property, so the fields of the service are suggested, too.
    for (const name of Object.keys(OWN_FIELDS)) written.set(name, name);
    return unknown.map((name) => {
      const nearest = nearestName(name, written.keys());
      const sentence = `None of the newest events has a property ${name}`;
      return nearest === null ? sentence : `${sentence}: did you mean ${written.get(nearest) ?? nearest}?`;
    });
  }

  /** Returns the names that none of the newest events has. In most cases the first few events have all of the names. */
  private unknownOf(
    scope: ProjectScope,
    paths: readonly (readonly string[])[],
    signal: AbortSignal,
  ): Promise<string[]> {
    return this.snapshots.briefly(
      async (tx, deadline) => {
        const seen = await this.newest.have(tx, scope, FIRST_LOOK, paths);
        const others = paths.filter((_, at) => seen[at] === false);
        if (others.length === 0) return [];
        const newest = await this.newest.locators(tx, scope, SAMPLE_EVENTS, deadline);
        const { locators } = await this.rows.fit(scope, newest, SAMPLE_BYTES, tx);
        const there = await this.newest.haveAt(tx, scope, locators, others, deadline);
        return others.filter((_, at) => there[at] === false).map((path) => path.join('.'));
      },
      { milliseconds: this.limits.warningMilliseconds, signal },
    );
  }

  /** Reads in two snapshots, so that no connection is held while the read waits for memory. */
  private async observed(scope: ProjectScope, milliseconds: number, signal: AbortSignal): Promise<ObservedName[]> {
    const { locators, bytes } = await this.snapshots.briefly(
      async (tx, deadline) => {
        const newest = await this.newest.locators(tx, scope, SAMPLE_EVENTS, deadline);
        return this.rows.fit(scope, newest, SAMPLE_BYTES, tx);
      },
      { milliseconds, signal },
    );
    const types = await this.budget.during(scope.projectId, bytes, async () =>
      observeSchema(
        await this.snapshots.briefly((tx) => this.rows.read(scope, locators, SAMPLED, tx), { milliseconds, signal }),
      ),
    );
    const byName = new Map<string, Map<string, number>>();
    for (const { properties } of types) {
      for (const { path, types: observed } of properties) {
        // Queries name the items of a list by their indexes, so a path through all items cannot be queried.
        if (path.includes('[]')) continue;
        const counts = byName.get(path) ?? new Map<string, number>();
        byName.set(path, counts);
        for (const { type, events } of observed) counts.set(type, (counts.get(type) ?? 0) + events);
      }
    }
    return [...byName]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([joined, counts]) => {
        const name = writtenProperty(joined);
        return name === null ? [] : [{ joined, name, type: typesOf(counts) }];
      });
  }
}

function typesOf(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .map(([type]) => TYPE_NAMES[type] ?? type)
    .join(', ');
}
