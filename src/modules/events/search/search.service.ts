import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { isFulfilled, type ProjectMemberScope, type Role } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { providersOf } from '../../../platform/discovery/provider-of.js';
import { brokenRule } from '../../../platform/http/validation/index.js';
import { rangeWindow } from '../../tenancy/projects/index.js';
import {
  MOST_WORDS,
  readWords,
  type Search,
  SEARCH_TYPES,
  SearchSource,
  type SearchType,
} from '../../tenancy/search-sources/index.js';
import { type ReadDeadline, LongSnapshots } from '../long-reads/index.js';
import { EventSearch } from './event-search.service.js';
import { SearchLimits } from './search-limits.js';
import { bestOf, ranked, type RankedHit, titles } from './ranking.js';
import { MOST_COUNTED, type SearchAnswer, type SearchCounts, type SearchItem, type SearchQuery } from './search.dto.js';

const SAID_AGAIN_MS = 100;

/** Searches the events of a project and its named resources. */
@Injectable()
export class SearchService {
  constructor(
    private readonly database: Database,
    private readonly discovery: DiscoveryService,
    private readonly snapshots: LongSnapshots,
    private readonly events: EventSearch,
    private readonly limits: SearchLimits,
    private readonly clock: Clock,
  ) {}

  /** @param signal ends the search when the client has disconnected */
  async search(
    scope: ProjectMemberScope,
    { q, type, range, limit }: SearchQuery,
    signal: AbortSignal,
  ): Promise<SearchAnswer> {
    const words = readWords(q);
    if (words.words.length === 0) throw brokenRule(['query', 'q'], 'q must have a word', q);
    if (words.words.length > MOST_WORDS) {
      throw brokenRule(['query', 'q'], `q must have at most ${MOST_WORDS} words`, q);
    }
    const { from, to } = rangeWindow(range, this.clock.now());
    // The window includes the current millisecond.
    const search: Search = { words, window: { from, to: new Date(to.getTime() + 1) } };
    const types = SEARCH_TYPES.filter((one) => type === undefined || type.includes(one));
    const found = await this.named(scope, search, types, signal);
    let isPartial = false;
    if (types.includes('event')) {
      const events = await this.events.find(scope, search, MOST_COUNTED, signal);
      // An empty answer would be wrong when no event was scanned.
      if (events.refusal !== null && found.length === 0) throw events.refusal;
      found.push(...ranked('event', events.hits, words));
      ({ isPartial } = events);
    }
    return {
      project_id: scope.projectId,
      q,
      items: bestOf(found, limit).map(itemOf),
      counts: countsOf(types, found),
      is_partial: isPartial,
    };
  }

  /**
   * Searches everything except events, completely and in one snapshot. This mostly takes milliseconds, and otherwise
   * needs a slot of long reads.
   */
  private async named(
    scope: ProjectMemberScope,
    search: Search,
    types: readonly SearchType[],
    signal: AbortSignal,
  ): Promise<RankedHit[]> {
    const sources = readable(providersOf(this.discovery, SearchSource), scope.role).filter(({ type }) =>
      types.includes(type),
    );
    if (sources.length === 0) return [];
    const ask = (tx: Db, deadline: ReadDeadline): Promise<RankedHit[]> =>
      this.ask(sources, scope, search, tx, deadline, signal);
    return this.snapshots.run(scope, ask, { signal, milliseconds: this.limits.namesMs });
  }

  /**
   * Searches the sources one after the other. Each takes a millisecond or two, and together they need only one
   * connection.
   */
  private async ask(
    sources: readonly SearchSource[],
    scope: ProjectMemberScope,
    search: Search,
    tx: Db,
    deadline: ReadDeadline,
    signal: AbortSignal,
  ): Promise<RankedHit[]> {
    const found: RankedHit[] = [];
    let allowed = Infinity;
    for (const source of sources) {
      const left = deadline.left();
      // The statement timeout is lowered only when clearly less time is left. Usually all sources are done before that.
      if (left < allowed - SAID_AGAIN_MS) await this.database.limit(tx, (allowed = left));
      const hits = await source.find(scope, search, MOST_COUNTED, tx, { milliseconds: left, signal });
      found.push(...ranked(source.type, hits, search.words));
    }
    return found;
  }
}

/** Returns the sources whose results the role may also read on their own routes. */
export function readable<Source extends Pick<SearchSource, 'needed'>>(
  sources: readonly Source[],
  role: Role,
): Source[] {
  return sources.filter(({ needed }) => isFulfilled(needed, role));
}

function countsOf(types: readonly SearchType[], found: readonly RankedHit[]): SearchCounts {
  const counts: Partial<Record<SearchType, number>> = Object.fromEntries(types.map((type) => [type, 0]));
  for (const { type } of found) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

function itemOf({ type, hit, score, field, text }: RankedHit): SearchItem {
  return {
    type,
    ...(hit.kind !== undefined && { kind: hit.kind }),
    id: hit.id,
    ...titles(hit),
    matched: { field, text },
    score,
    timestamp: hit.timestamp.toISOString(),
  };
}
