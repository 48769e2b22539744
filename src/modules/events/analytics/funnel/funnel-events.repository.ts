import { Injectable } from '@nestjs/common';
import { Parameters } from '../../../../platform/database/parameters.js';
import type { FittingEvents } from '../../eql/index.js';
import { keyedSql } from '../asking/keys.js';
import type { Snapshot } from '../asking/snapshots.js';

/** The next ones are read while these are followed. */
const ROWS_AT_ONCE = 2_500;
/** Characters of a key; of a longer one its hash stands for it. */
const LONGEST_KEY = 44;

export interface FunnelEvent {
  readonly key: string;
  /** The place of its type among those asked for, from 0. */
  readonly type: number;
  /** Of its timestamp. */
  readonly ms: number;
}

/** Reads the events that funnels follow. */
@Injectable()
export class FunnelEventsRepository {
  /** Those of events of these types, and no others, that have a value to follow, by timestamp and id, some at a time. For one cursor of a snapshot. */
  async *read(
    events: FittingEvents,
    { types, by }: { readonly types: readonly string[]; readonly by: string },
    snapshot: Snapshot,
  ): AsyncGenerator<FunnelEvent[], void> {
    const parameters = new Parameters();
    const names = `${parameters.bind(types)}::text[]`;
    const { value, key } = keyedSql(by, parameters.bind);
    await snapshot.rows(
      `DECLARE followed_events NO SCROLL CURSOR FOR
       SELECT CASE WHEN octet_length(key) <= ${LONGEST_KEY} THEN key
              ELSE '#' || encode(sha256(convert_to(key, 'UTF8')), 'base64') END AS key, type, ms
       FROM (SELECT ${key('held')} AS key, type, ms, at, id FROM (
               SELECT ${value} AS held, array_position(${names}, e.event) - 1 AS type,
                      (extract(epoch FROM e."timestamp") * 1000)::float8 AS ms, e."timestamp" AS at, e.id
               FROM ${events(parameters.bind)} /* tenant: they are of one project */ OFFSET 0) held OFFSET 0) found
       WHERE key <> '' ORDER BY at, id`,
      parameters,
    );
    const fetch = (): Promise<FunnelEvent[]> =>
      snapshot.rows<FunnelEvent>(`FETCH ${ROWS_AT_ONCE} FROM followed_events`, new Parameters());
    let next = fetch();
    try {
      for (;;) {
        const rows = await next;
        if (rows.length < ROWS_AT_ONCE) {
          if (rows.length > 0) yield rows;
          break;
        }
        next = fetch();
        // Whoever waits for them is told why there are none.
        next.catch(() => undefined);
        yield rows;
      }
    } finally {
      // The transaction goes on, or ends, when none of its statements is under way.
      await next.catch(() => undefined);
    }
    await snapshot.rows('CLOSE followed_events', new Parameters());
  }
}
