import { Injectable } from '@nestjs/common';
import { EventLoopYield } from '../../../../platform/concurrency/index.js';
import { AggregatedEventsReader } from '../aggregation/aggregated-events.reader.js';
import type { AggregationQuery } from '../aggregation/aggregation-query.js';
import { type Snapshot, Snapshots } from '../aggregation/snapshots.js';
import { ClickHouseUnavailable } from '../reading/clickhouse-events.reader.js';
import { ClickHouseFunnelRepository } from './clickhouse-funnel.repository.js';
import { type FollowedEvents, FunnelEventsRepository } from './funnel-events.repository.js';
import { PackReader, readWords } from './packed-events.js';

/** Receives events key by key. The events of one key come in the order of time. */
export interface Follower<Result> {
  /**
   * @param isFirst whether the event is the first one of its key
   * @param type index of the event type in the list of types
   * @param ms milliseconds of the timestamp since the start of the window
   */
  push(isFirst: boolean, type: number, ms: number): void;
  /** Called after the last event. */
  end(pause: () => Promise<void> | undefined): Promise<Result>;
}

/** Reads events in sequence, grouped by the value of a field. */
@Injectable()
export class FunnelsReader {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly aggregated: AggregatedEventsReader,
    private readonly events: FunnelEventsRepository,
    private readonly clickHouse: ClickHouseFunnelRepository,
  ) {}

  /**
   * Passes all events of the query's window to a follower. All events come from one snapshot.
   * @param begin creates the follower; called again when the events have to be read from the beginning
   * @throws QueryTooLong, TooManyQueries, and the errors of the follower
   */
  follow<Result>(
    query: AggregationQuery,
    params: Pick<FollowedEvents, 'types' | 'by'>,
    begin: () => Follower<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    return this.snapshots.run(query, signal, async (snapshot) => {
      const followed = { ...params, from: query.window.from };
      const replicated = await this.fromClickHouse(query, followed, begin(), snapshot, signal);
      this.clickHouse.countRead(replicated === null ? 'postgres' : 'clickhouse');
      return replicated === null ? this.fromRows(query, followed, begin(), snapshot) : replicated.result;
    });
  }

  /** @returns null when PostgreSQL has to answer alone */
  private async fromClickHouse<Result>(
    query: AggregationQuery,
    followed: FollowedEvents,
    follower: Follower<Result>,
    snapshot: Snapshot,
    signal: AbortSignal,
  ): Promise<{ readonly result: Result } | null> {
    const follow = follower.push.bind(follower);
    const others = new EventLoopYield();
    try {
      const events = await this.clickHouse.read(query, followed, snapshot, signal);
      if (events === null) return null;
      for await (const words of events) {
        await others.ifDue();
        readWords(words, follow);
      }
    } catch (error) {
      if (error instanceof ClickHouseUnavailable) return null;
      throw error;
    }
    return { result: await follower.end(() => others.ifDue()) };
  }

  private async fromRows<Result>(
    query: AggregationQuery,
    followed: FollowedEvents,
    follower: Follower<Result>,
    snapshot: Snapshot,
  ): Promise<Result> {
    const follow = follower.push.bind(follower);
    const packs = new PackReader();
    const others = new EventLoopYield();
    const events = await this.aggregated.events(query, query.window, snapshot, followed.types);
    for await (const some of this.events.read(events, followed, snapshot)) {
      for (const pack of some) {
        await others.ifDue();
        packs.read(pack, follow);
      }
    }
    return follower.end(() => others.ifDue());
  }
}
