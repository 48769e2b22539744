import { Injectable } from '@nestjs/common';
import { Parameters } from '../../../../platform/database/parameters.js';
import type { MatchingEvents } from '../scan/matching-events.reader.js';
import { keyedSql } from '../aggregation/keys.js';
import type { Snapshot } from '../aggregation/snapshots.js';
import { EVENTS_OF_A_PACK, packSql } from './packed-events.js';

/** Packs that one FETCH reads. The next packs are fetched while the current packs are processed. */
const PACKS_AT_ONCE = 16;
/** The maximum length of a key in bytes. A longer key is replaced by its hash. */
const LONGEST_KEY = 44;

export interface FollowedEvents {
  readonly types: readonly string[];
  /** The field whose equal values connect the events of a chain. */
  readonly by: string;
  /** The lower bound of the timestamps. */
  readonly from: Date;
}

/** An event that is not replicated to ClickHouse yet. */
export interface TailStep {
  readonly key: string;
  /** Milliseconds since `from`. */
  readonly ms: number;
  /** The hexadecimal digits without hyphens. */
  readonly id: string;
  readonly type: number;
}

interface Pack {
  readonly events: Buffer;
}

/** Reads the events of funnels from PostgreSQL. */
@Injectable()
export class FunnelEventsRepository {
  /** Reads the events that have a value of the field `by`, in no order. */
  tailSteps(events: MatchingEvents, { types, by, from }: FollowedEvents, snapshot: Snapshot): Promise<TailStep[]> {
    const parameters = new Parameters();
    const { bind } = parameters;
    const { value, key } = keyedSql(by, bind);
    return snapshot.rows<TailStep>(
      `SELECT key, ms, id, type FROM (
         SELECT ${key('held')} AS key, ms, id, type FROM (
           SELECT ${value} AS held, array_position(${bind(types)}::text[], e.event) - 1 AS type, replace(e.id::text, '-', '') AS id,
                  round(extract(epoch FROM e."timestamp" - ${bind(from)}::timestamptz) * 1000)::float8 AS ms
           FROM ${events(bind)} /* tenant: they are of one project */ OFFSET 0) held OFFSET 0) found
       WHERE key <> ''`,
      parameters,
    );
  }

  /**
   * Reads the events that have a value of the field `by`: value by value, and for each value by timestamp and id. Their
   * `ms` are milliseconds since `from`. PostgreSQL sorts by the values, so that the process needs no memory for the
   * values. A snapshot can have only one such cursor.
   * @param events has only events of `types`
   */
  async *read(
    events: MatchingEvents,
    { types, by, from }: FollowedEvents,
    snapshot: Snapshot,
  ): AsyncGenerator<Buffer[], void> {
    const parameters = new Parameters();
    const names = `${parameters.bind(types)}::text[]`;
    const beginning = `${parameters.bind(from)}::timestamptz`;
    const { value, key } = keyedSql(by, parameters.bind);
    const packed = packSql({
      place: `(nth - 1) % ${EVENTS_OF_A_PACK}`,
      isFirst: 'CASE WHEN key IS DISTINCT FROM key_before THEN 1 ELSE 0 END',
      type: 'type',
      ms: 'ms',
    });
    await snapshot.rows(
      `DECLARE followed_events NO SCROLL CURSOR FOR
       SELECT ${packed} AS events
       FROM (SELECT key, type, ms, row_number() OVER ordered AS nth, lag(key) OVER ordered AS key_before
             FROM (SELECT CASE WHEN octet_length(key) <= ${LONGEST_KEY} THEN key
                          ELSE '#' || encode(sha256(convert_to(key, 'UTF8')), 'base64') END COLLATE "C" AS key, type, ms, id
                   FROM (SELECT ${key('held')} AS key, type, ms, id FROM (
                           SELECT ${value} AS held, array_position(${names}, e.event) - 1 AS type,
                                  (extract(epoch FROM e."timestamp" - ${beginning}) * 1000)::int8 AS ms, e.id
                           FROM ${events(parameters.bind)} /* tenant: they are of one project */ OFFSET 0) held OFFSET 0) found
                   WHERE key <> '') short
             WINDOW ordered AS (ORDER BY key, ms, id)) numbered
       GROUP BY (nth - 1) / ${EVENTS_OF_A_PACK} ORDER BY (nth - 1) / ${EVENTS_OF_A_PACK}`,
      parameters,
    );
    const fetch = (): Promise<Pack[]> =>
      snapshot.rows<Pack>(`FETCH ${PACKS_AT_ONCE} FROM followed_events`, new Parameters());
    let next = fetch();
    try {
      for (;;) {
        const packs = await next;
        const isLast = packs.length < PACKS_AT_ONCE;
        if (!isLast) {
          next = fetch();
          // The reader that awaits the packs gets the error.
          next.catch(() => undefined);
        }
        if (packs.length > 0) yield packs.map((pack) => pack.events);
        if (isLast) break;
      }
    } finally {
      // The transaction must not continue or end while one of its statements runs.
      await next.catch(() => undefined);
    }
    await snapshot.rows('CLOSE followed_events', new Parameters());
  }
}
