import { crc32 } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { type BindValue, StatementValues } from '../../../../platform/clickhouse/index.js';
import { ArchivedEventsReader } from '../reading/archived-events.reader.js';
import { ClickHouseEvents, ClickHouseUnavailable, ClickHouseTimeout } from '../reading/clickhouse-events.reader.js';
import { QueryTooLong } from '../../long-reads/index.js';
import { clickHouseNumberKey } from '../reading/number-key.js';
import { clickHouseKeyed } from '../aggregation/clickhouse-keys.js';
import { clickHouseQueryConditions, readProperties } from '../aggregation/clickhouse-query-conditions.js';
import { AggregatedEventsReader } from '../aggregation/aggregated-events.reader.js';
import { isKeyOfNumber } from '../aggregation/keys.js';
import type { AggregationQuery } from '../aggregation/aggregation-query.js';
import type { Snapshot } from '../aggregation/snapshots.js';
import { type FollowedEvents, FunnelEventsRepository, type TailStep } from './funnel-events.repository.js';
import { type EventWord, readWords, wordOf, wordSql } from './packed-events.js';

/**
 * The maximum number of distinct values in the tail. Beyond it PostgreSQL answers alone, because checksums of the
 * values are sent in the URL of a request.
 */
const MOST_KEYS = 5_000;
/** Values are divided by hash into this many lists. The process reads each list as a whole. */
const LISTS = 1_024;
/**
 * The maximum number of events of a list. Parsing such a list, a line of some 8 MB, blocks the process for an eighth of
 * a second. Beyond the limit PostgreSQL answers, which returns events in packs. For archived months the query fails.
 */
const MOST_EVENTS_OF_A_LIST = 400_000;
/** The same limit for the events of one value with their ids. Ids need several times the space. */
const MOST_EVENTS_WITH_IDS = 100_000;

/** The list is complete. */
const WHOLE = 0;
/** The list has rows that ClickHouse cannot read. */
const UNREAD = 1;
/** The list has too many events. */
const TOO_LONG = 2;

interface ClickHouseRow {
  /**
   * The value, when PostgreSQL has some of its events. Otherwise it is empty, and the row is a list of several values.
   */
  readonly name: string;
  /** The events, value after value. */
  readonly words: readonly EventWord[];
  /** The ids of the events as hexadecimal digits. Only present when the row has a name. */
  readonly ids: readonly string[];
  /** WHOLE, UNREAD or TOO_LONG. */
  readonly state: number;
}

/** An event of a value whose events come from both stores. */
interface Step {
  readonly ms: number;
  readonly id: string;
  readonly type: number;
}

/** Reads the events of funnels from ClickHouse, and adds the events that only PostgreSQL has. */
@Injectable()
export class ClickHouseFunnelRepository {
  /** Tests lower it. */
  mostEventsOfAList = MOST_EVENTS_OF_A_LIST;

  constructor(
    private readonly aggregated: AggregatedEventsReader,
    private readonly events: FunnelEventsRepository,
    private readonly clickHouse: ClickHouseEvents,
    private readonly archived: ArchivedEventsReader,
  ) {}

  /** Counts in the metrics which store has answered. */
  countRead(store: 'clickhouse' | 'postgres'): void {
    if (this.clickHouse.isEnabled) this.clickHouse.countRead(store);
  }

  /**
   * Returns the events value by value. The events of a value are ordered by timestamp and id. The values have no order.
   * @returns null when PostgreSQL has to answer alone
   * @throws QueryTooLong, ClickHouseUnavailable also while the events are read
   */
  async read(
    query: AggregationQuery,
    followed: FollowedEvents,
    snapshot: Snapshot,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<readonly EventWord[], void> | null> {
    if (!this.clickHouse.isEnabled || this.clickHouse.isCircuitOpen) return null;
    const statement = new StatementValues();
    const { bind } = statement;
    const { types, by, from } = followed;
    const keyed = clickHouseKeyed(by, bind);
    const { window } = query;
    const tail = await this.aggregated.tailOf(query, window, snapshot, signal, types);
    if (tail === null) return null;
    const events = clickHouseQueryConditions(query, window, readProperties(by, keyed), tail.chosen, bind);
    const tailSteps = await this.events.tailSteps(tail.events(window), followed, snapshot);
    const fromTail = byName(tailSteps);
    if (fromTail.size > MOST_KEYS) return null;
    const named = namedSql([...new Set(tailSteps.map(({ key }) => key))], bind);
    const names = bind(types, 'Array(String)');
    const most = bind(this.mostEventsOfAList, 'UInt64');
    const mostWithIds = bind(Math.min(this.mostEventsOfAList, MOST_EVENTS_WITH_IDS), 'UInt64');
    const words = `arrayMap((step, nth) -> ${wordSql({ ms: 'step.1', isFirst: 'nth = 1', type: 'step.3' })}, steps, arrayEnumerate(steps))`;
    const stream = this.clickHouse.stream<ClickHouseRow>(
      query.scope,
      tail.block,
      (
        replicated,
      ) => `name, if(state > ${WHOLE}, [], groupArrayArray(of_key)) AS words, if(state > ${WHOLE}, [], groupArrayArray(ids_of_key)) AS ids,
          toUInt8(multiIf(max(unread_of_key) = 1, ${UNREAD}, sum(length(of_key)) > if(name = '', ${most}, ${mostWithIds}), ${TOO_LONG}, ${WHOLE})) AS state
        FROM (
          SELECT if(is_named, key, '') AS name, if(is_named, 0, cityHash64(key) % ${LISTS}) AS list, ${words} AS of_key,
                 if(is_named, arrayMap(step -> lower(hex(step.2)), steps), []) AS ids_of_key, unread_of_key
          FROM (SELECT key, ${named} AS is_named, arraySort(groupArray((ms, id, type))) AS steps, max(unread) AS unread_of_key
                FROM (SELECT ${keyed.key('held')} AS key, ms, id, type, unread
                      FROM (SELECT ${keyed.value} AS held, UUIDToNum(e.id) AS id, indexOf(${names}, toString(e.event)) - 1 AS type,
                                   toUnixTimestamp64Milli(e.timestamp) - ${bind(from.getTime(), 'Int64')} AS ms,
                                   toUInt8(${events.unread}) AS unread
                            FROM ${replicated} AS e WHERE ${events.matching} AND e.event IN ${names}))
                WHERE key != '' OR unread = 1 GROUP BY key))
        GROUP BY name, list`,
      statement,
      { milliseconds: snapshot.deadline.left(), signal },
    );
    return together(stream, fromTail, await this.archived.isArchived(window), snapshot);
  }
}

async function* together(
  stream: AsyncGenerator<readonly ClickHouseRow[], void>,
  fromTail: ReadonlyMap<string, readonly TailStep[]>,
  isArchived: boolean,
  { deadline }: Snapshot,
): AsyncGenerator<readonly EventWord[], void> {
  const rest = new Map(fromTail);
  try {
    for await (const rows of stream) {
      for (const { name, words, ids, state } of rows) {
        deadline.left();
        if (state === UNREAD || (state === TOO_LONG && !isArchived)) throw new ClickHouseUnavailable();
        if (state === TOO_LONG) throw new QueryTooLong();
        const others = name === '' ? undefined : rest.get(nameOf(name));
        rest.delete(nameOf(name));
        yield others === undefined ? words : wordsOf([...stepsOf(words, ids), ...others]);
      }
    }
  } catch (error) {
    throw error instanceof ClickHouseTimeout ? new QueryTooLong() : error;
  }
  for (const steps of rest.values()) yield wordsOf(steps);
}

function byName(steps: readonly TailStep[]): Map<string, TailStep[]> {
  const found = new Map<string, TailStep[]>();
  for (const step of steps) {
    const name = nameOf(step.key);
    const others = found.get(name);
    if (others === undefined) found.set(name, [step]);
    else others.push(step);
  }
  return found;
}

/** Returns the same name for values that are equal in both databases. */
function nameOf(key: string): string {
  return isKeyOfNumber(key) ? String(Number(key)) : key;
}

/**
 * Returns a condition that is true for each of these keys. It may be true for other keys, too, because it compares
 * checksums.
 */
function namedSql(keys: readonly string[], bind: BindValue): string {
  const texts = keys.filter((key) => !isKeyOfNumber(key)).map((key) => crc32(key));
  const numbers = bind(keys.filter(isKeyOfNumber), 'Array(String)');
  return `(CRC32(key) IN (SELECT arrayJoin(${bind(texts, 'Array(UInt32)')}))
    OR key IN (SELECT ${clickHouseNumberKey(`arrayJoin(${numbers})`)}))`;
}

function stepsOf(words: readonly EventWord[], ids: readonly string[]): Step[] {
  const steps: Step[] = [];
  readWords(words, (_, type, ms) => steps.push({ ms, type, id: ids[steps.length] ?? '' }));
  return steps;
}

function wordsOf(steps: readonly Step[]): EventWord[] {
  return [...steps]
    .sort((one, other) => one.ms - other.ms || (one.id < other.id ? -1 : 1))
    .map(({ ms, type }, at) => wordOf({ isFirst: at === 0, type, ms }));
}
