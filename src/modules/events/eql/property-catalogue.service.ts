import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { EventRowsReader, ReadBudget, type Selection } from '../reads/index.js';
import { observeSchema, SAMPLE_BYTES, SAMPLE_EVENTS, type SampledEvent } from '../source-monitoring/index.js';
import type { Field } from './language/ast.js';
import { nearestName } from './language/nearest.js';
import { CandidatesRepository } from './running/candidates.repository.js';

const SAMPLED: Selection<SampledEvent> = { columns: 'event, "timestamp", properties::text AS properties' };
const TYPE_NAMES: Readonly<Record<string, string>> = { string: 'text', array: 'list' };
/** Far less than the sample takes, and so a part of it. */
const FIRST_LOOK = { events: 20, mostBytes: 8_192 };
/** Properties that are told. */
const MOST_PROPERTIES = 200;
const MOST_WARNINGS = 10;
/** Names of a query that are looked for: each look takes the properties of the whole sample apart. */
const MOST_LOOKED_FOR = 20;

export interface KnownProperty {
  readonly name: string;
  /** `text`, `number`, `boolean`, `null`, `object`, `list`, separated by commas; most frequent first. */
  readonly type: string;
}

/** What properties the newest events of a project have. */
@Injectable()
export class PropertyCatalogue {
  constructor(
    private readonly candidates: CandidatesRepository,
    private readonly rows: EventRowsReader,
    private readonly budget: ReadBudget,
  ) {}

  /** By name; those of the 500 newest events, or of fewer where these take more than 4 MiB. */
  async known(scope: ProjectScope): Promise<KnownProperty[]> {
    const newest = await this.candidates.newest(scope, SAMPLE_EVENTS);
    const { places, bytes } = await this.rows.fit(scope, newest, SAMPLE_BYTES);
    const types = await this.budget.during(scope.projectId, bytes, async () =>
      observeSchema(await this.rows.read(scope, places, SAMPLED)),
    );
    const byName = new Map<string, Map<string, number>>();
    for (const { properties } of types) {
      for (const { path, types: observed } of properties) {
        // What the items of lists look like is asked for by their places.
        if (path.includes('[]')) continue;
        const counts = byName.get(path) ?? new Map<string, number>();
        byName.set(path, counts);
        for (const { type, events } of observed) counts.set(type, (counts.get(type) ?? 0) + events);
      }
    }
    return [...byName]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, MOST_PROPERTIES)
      .map(([name, counts]) => ({ name, type: typesOf(counts) }));
  }

  /** A sentence for each property that none of the newest events has, of the first ones of a query, with the nearest known name. */
  async warnings(scope: ProjectScope, fields: readonly Field[]): Promise<string[]> {
    const paths = new Map(fields.filter(({ own }) => own === null).map(({ path }) => [path.join('.'), path]));
    const unknown = (await this.unknownOf(scope, [...paths.values()].slice(0, MOST_LOOKED_FOR))).slice(
      0,
      MOST_WARNINGS,
    );
    if (unknown.length === 0) return [];
    const names = (await this.known(scope)).map(({ name }) => name);
    return unknown.map((name) => {
      const nearest = nearestName(name, names);
      const sentence = `None of the newest events has a property ${name}`;
      return nearest === null ? sentence : `${sentence}: did you mean ${nearest}?`;
    });
  }

  /** The names of those that none of the newest events has; mostly the very newest ones have them all. */
  private async unknownOf(scope: ProjectScope, paths: readonly (readonly string[])[]): Promise<string[]> {
    if (paths.length === 0) return [];
    const seen = await this.candidates.newestHave(scope, FIRST_LOOK, paths);
    const others = paths.filter((_, at) => seen[at] === false);
    if (others.length === 0) return [];
    const newest = await this.candidates.newest(scope, SAMPLE_EVENTS);
    const { places } = await this.rows.fit(scope, newest, SAMPLE_BYTES);
    const there = await this.candidates.haveProperties(scope, places, others);
    return others.filter((_, at) => there[at] === false).map((path) => path.join('.'));
  }
}

function typesOf(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .map(([type]) => TYPE_NAMES[type] ?? type)
    .join(', ');
}
