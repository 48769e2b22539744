import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import type { WrittenJson } from '../../../platform/http/written-json.js';
import { ProjectsReader, rangeWindow } from '../../tenancy/projects/index.js';
import { TimeRangeResolver, windowHead } from '../time-ranges/index.js';
import { EventTotalsReader } from '../event-store/index.js';
import { AnswerWriter } from './answer-writer.js';
import { PropertyCatalogue } from './catalogue/property-catalogue.service.js';
import { checkQuery, type Field, fieldsIn, parseQuery, PIPES, type Query, readAt } from '../eql-language/index.js';
import type { EqlAnswer, EqlRequest, LanguageResponse } from './eql.dto.js';
import {
  ALL_LIMITS,
  KEYWORDS,
  LANGUAGE_FUNCTIONS,
  LANGUAGE_VERSION,
  OPERATORS,
  OWN_FIELD_LIST,
} from './language-description.js';
import { QueryRunner } from './running/query-runner.js';

const MOST_CATEGORIES = 200;
const KINDS = { events: 'events', sequence: 'sequences', sample: 'samples' } as const;

/** Runs queries in the Event Query Language, and describes the language. */
@Injectable()
export class EqlService {
  constructor(
    private readonly runner: QueryRunner,
    private readonly writer: AnswerWriter,
    private readonly catalogue: PropertyCatalogue,
    private readonly timeRanges: TimeRangeResolver,
    private readonly totals: EventTotalsReader,
    private readonly projects: ProjectsReader,
    private readonly clock: Clock,
  ) {}

  /** @param signal ends the query when the client no longer waits for the response */
  async run(scope: ProjectScope, request: EqlRequest, signal: AbortSignal): Promise<WrittenJson<EqlAnswer>> {
    const startedAt = performance.now();
    const query = readAt(request.query, ['body', 'query'], readQuery);
    const window = await this.timeRanges.of(request, this.clock.now(), 'body');
    const { limit, result_position: position, max_samples_per_key: samplesPerKey } = request;
    const [name, found] = await Promise.all([
      this.projects.nameOf(scope),
      this.runner.run(scope, query, { window, limit, position, samplesPerKey }, signal),
    ]);
    signal.throwIfAborted();
    const head = {
      ...windowHead(scope.projectId, name, window),
      kind: KINDS[query.type],
      scanned: found.scanned,
      warnings: await this.catalogue.warnings(scope, fieldsOf(query), signal),
      took_ms: Math.round(performance.now() - startedAt),
    };
    return this.writer.write(scope, head, { ...found, position });
  }

  /** @param signal see {@link run} */
  async language(scope: ProjectScope, signal: AbortSignal): Promise<LanguageResponse> {
    const month = rangeWindow('30d', this.clock.now());
    const [{ event }, properties] = await Promise.all([
      this.totals.values(scope, month, {}, { event: MOST_CATEGORIES }),
      this.catalogue.known(scope, signal),
    ]);
    return {
      version: LANGUAGE_VERSION,
      categories: event.flatMap(({ value }) => value ?? []),
      fields: [...OWN_FIELD_LIST, ...properties.map((property) => ({ ...property, is_property: true }))],
      keywords: [...KEYWORDS],
      operators: [...OPERATORS],
      functions: [...LANGUAGE_FUNCTIONS],
      pipes: [...PIPES],
      limits: { ...ALL_LIMITS },
    };
  }
}

function readQuery(text: string): Query {
  const query = parseQuery(text);
  checkQuery(query);
  return query;
}

function fieldsOf(query: Query): Field[] {
  if (query.type === 'events') return fieldsIn(query.filter.condition);
  const until = query.type === 'sequence' && query.until !== null ? [query.until] : [];
  const terms = [...query.terms, ...until];
  return [...query.keys, ...terms.flatMap(({ filter, keys }) => [...fieldsIn(filter.condition), ...keys])];
}
