import { Injectable } from '@nestjs/common';
import { EventLoopYield } from '../../../../platform/concurrency/index.js';
import { GatheredEventsReader } from '../questions/gathered-events.reader.js';
import type { Question } from '../questions/question.js';
import { type Snapshot, Snapshots } from '../questions/snapshots.js';
import { CopyCannotTell } from '../reading/copied-events.reader.js';
import { CopiedFunnelRepository } from './copied-funnel.repository.js';
import { type FollowedEvents, FunnelEventsRepository } from './funnel-events.repository.js';
import { PackReader, readWords } from './packed-events.js';

/** Takes the events of one key after the other, those of a key in the order of time. */
export interface Follower<Result> {
  /**
   * @param isFirst whether it is the first one of the next key
   * @param type by its place among those that are followed
   * @param ms of its timestamp
   */
  push(isFirst: boolean, type: number, ms: number): void;
  /** No event is left. */
  end(pause: () => Promise<void> | undefined): Promise<Result>;
}

/** Reads the events that follow each other, by what they have in common. */
@Injectable()
export class FunnelsReader {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly gathered: GatheredEventsReader,
    private readonly events: FunnelEventsRepository,
    private readonly copied: CopiedFunnelRepository,
  ) {}

  /**
   * Tells a follower all events of the question's window, of one moment.
   * @param begin makes the follower, and another one where events have to be told from the beginning
   * @throws QueryTooLong, TooManyQueries, and what the follower throws
   */
  follow<Result>(
    question: Question,
    asked: Pick<FollowedEvents, 'types' | 'by'>,
    begin: () => Follower<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    return this.snapshots.run(question, signal, async (snapshot) => {
      const followed = { ...asked, from: question.window.from };
      const copied = await this.fromCopy(question, followed, begin(), snapshot, signal);
      this.copied.answered(copied === null ? 'postgres' : 'clickhouse');
      return copied === null ? this.fromRows(question, followed, begin(), snapshot) : copied.result;
    });
  }

  /** Null: PostgreSQL has to answer alone. */
  private async fromCopy<Result>(
    question: Question,
    followed: FollowedEvents,
    follower: Follower<Result>,
    snapshot: Snapshot,
    signal: AbortSignal,
  ): Promise<{ readonly result: Result } | null> {
    const follow = follower.push.bind(follower);
    const others = new EventLoopYield();
    try {
      const events = await this.copied.read(question, followed, snapshot, signal);
      if (events === null) return null;
      for await (const words of events) {
        await others.ifDue();
        readWords(words, follow);
      }
    } catch (error) {
      if (error instanceof CopyCannotTell) return null;
      throw error;
    }
    return { result: await follower.end(() => others.ifDue()) };
  }

  private async fromRows<Result>(
    question: Question,
    followed: FollowedEvents,
    follower: Follower<Result>,
    snapshot: Snapshot,
  ): Promise<Result> {
    const follow = follower.push.bind(follower);
    const packs = new PackReader();
    const others = new EventLoopYield();
    const events = await this.gathered.events(question, question.window, snapshot, followed.types);
    for await (const some of this.events.read(events, followed, snapshot)) {
      for (const pack of some) {
        await others.ifDue();
        packs.read(pack, follow);
      }
    }
    return follower.end(() => others.ifDue());
  }
}
