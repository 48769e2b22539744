import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Reservations } from '../concurrency/index.js';
import { Database } from '../database/database.js';
import { holdContext, LogThrottle, Metrics } from '../telemetry/index.js';
import { Lane, type LaneOptions, type LaneOutcome, type Piece } from './lane.js';

/**
 * What kinds of work there are, each with a bound of its own, so that none delays another:
 * - `promised`: what the answer has promised, for which a place is taken beforehand ({@link BackgroundWork.promising});
 * - `request`: what anybody may cause by a request whose answer tells nothing;
 * - `mail`: the mails that come of it, apart, since only addresses with an account get one;
 * - `notice`: what the owner of an account is told; it stands in rows, so that what finds no place is sent later;
 * - `record`: single rows about what was refused.
 *
 * In each a share has a part of the places: whoever causes more than that loses their own work alone.
 */
const LANES = {
  promised: { parallel: 2, mostWaiting: 256, mostWaitingOfShare: 64 },
  request: { parallel: 2, mostWaiting: 256, mostWaitingOfShare: 64 },
  mail: { parallel: 2, mostWaiting: 256, mostWaitingOfShare: 64 },
  notice: { parallel: 2, mostWaiting: 1_000, mostWaitingOfShare: 1 },
  record: { parallel: 1, mostWaiting: 1_000, mostWaitingOfShare: 200 },
} as const satisfies Record<string, LaneOptions>;

type LaneName = keyof typeof LANES;
/** For what nobody was promised. */
type OpenLane = Exclude<LaneName, 'promised'>;

/** Has the work done that an act has promised; once. */
export type Follow = (piece: Pick<Piece, 'name' | 'work'>) => void;

/** What is still open then is given up at shutdown; all but mails takes milliseconds. */
const SHUTDOWN_MS = 10_000;

/**
 * Small work that an answer must not wait for, mostly so that its time tells nothing. It has connections of its own to the
 * database and runs a few pieces at a time. Beyond a bound nothing is kept, and nobody is told but the metrics and one
 * log line a minute: only for what may be lost, which a process that dies loses too.
 */
@Injectable()
export class BackgroundWork {
  private readonly logger = new Logger('background');
  private readonly seldom = new LogThrottle();
  private readonly lanes: Readonly<Record<LaneName, Lane>>;
  /** As many as may wait, so that nothing promised is ever without a place in the lane. */
  private readonly promises = new Reservations({
    most: LANES.promised.mostWaiting,
    mostOfShare: LANES.promised.mostWaitingOfShare,
  });

  constructor(
    private readonly database: Database,
    metrics: Metrics,
  ) {
    const outcomes = metrics.counter('background_work_total', 'Work after answers, by what became of it', [
      'lane',
      'outcome',
    ]);
    const lane = (name: LaneName): Lane =>
      new Lane(LANES[name], (outcome, what, error) => {
        outcomes.inc({ lane: name, outcome });
        this.tell(name, outcome, what, error);
      });
    this.lanes = {
      promised: lane('promised'),
      request: lane('request'),
      mail: lane('mail'),
      notice: lane('notice'),
      record: lane('record'),
    };
    metrics.gauge('background_work_waiting', 'Work after answers that waits for its turn', ['lane'], (gauge) => {
      for (const [name, { waiting }] of Object.entries(this.lanes)) gauge.set({ lane: name }, waiting);
    });
  }

  /** Never throws: work that fails or finds no place is told of in the log and the metrics. */
  start(lane: OpenLane, piece: Piece): void {
    void this.offer(lane, piece);
  }

  /**
   * For acts that promise work after their answer: the place for it is taken before they begin, the same for whomever they
   * are about, and given back when nothing comes of them.
   * @param share who asks for the act
   * @throws ShareExhaustedError when too much that the share was promised is still to be done
   * @throws OverloadedError when that is so of all; both before the act has begun
   */
  async promising<T>(share: string, act: (follow: Follow) => Promise<T>): Promise<T> {
    const giveBack = this.promises.take(share);
    const place = { isUsed: false };
    const follow: Follow = (piece) => {
      if (place.isUsed) throw new Error('an act has one place for what it promises');
      place.isUsed = true;
      void this.offer('promised', { ...piece, share }).then(giveBack);
    };
    try {
      return await act(follow);
    } finally {
      if (!place.isUsed) giveBack();
    }
  }

  /** Resolves when everything started so far, and what that starts, has ended. */
  async idle(): Promise<void> {
    const lanes = Object.values(this.lanes);
    while (lanes.some(({ size }) => size > 0)) await Promise.all(lanes.map((lane) => lane.idle()));
  }

  /** For the shutdown, once no request is served any more: waits for what is open, though not for a mail server that hangs. */
  async drain(): Promise<void> {
    const deadline = new AbortController();
    const tooLate = pause(SHUTDOWN_MS, undefined, { signal: deadline.signal }).catch(() => undefined);
    await Promise.race([this.idle(), tooLate]);
    deadline.abort();
    for (const [name, { size }] of Object.entries(this.lanes)) {
      if (size > 0) this.logger.warn(`${size} pieces of work of the lane ${name} were given up at shutdown`);
    }
  }

  private offer(lane: LaneName, piece: Piece): Promise<void> {
    // It tells in the log whose request has brought it about, which is answered by then.
    const release = holdContext();
    return this.lanes[lane].offer({ ...piece, work: () => this.database.apart(piece.work) }).finally(release);
  }

  private tell(lane: LaneName, outcome: LaneOutcome, what: string, error: unknown): void {
    if (outcome === 'dropped') {
      this.seldom.happened(`${lane} is full`, (times) =>
        this.logger.warn(`the lane ${lane} is full: ${times} dropped since the last such line, now "${what}"`),
      );
    }
    if (outcome === 'failed') {
      this.seldom.happened(what, (times) =>
        this.logger.error(
          error instanceof Error ? error : new Error(String(error)),
          `${what}, ${times} times since the last such line`,
        ),
      );
    }
  }
}
