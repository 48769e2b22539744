import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Reservations } from '../concurrency/index.js';
import { Database } from '../database/database.js';
import { holdContext, LogThrottle, Metrics } from '../telemetry/index.js';
import { Lane, type LaneOptions, type LaneOutcome, type Piece } from './lane.js';
import { asError } from '../errors/index.js';

/**
 * The kinds of work. Each has its own limits, so that one kind does not delay another:
 * - `promised`: work that an answer has promised. Its place is reserved beforehand ({@link
 *   BackgroundWork.promising}).
 * - `request`: work of a request that anybody can send and whose answer must not reveal the outcome.
 * - `mail`: the e-mails that result from such requests. They are sent only to addresses with an account. They have a
 *   lane of their own, so that the time they take does not affect the lane `request`.
 * - `notice`: notifications to the owner of an account. They are stored as rows, so a notification that finds no
 *   place is sent later.
 * - `record`: single rows about refused requests.
 *
 * Each share may take only a part of a lane's places. A share that causes more work loses only its own work.
 */
const LANES = {
  promised: { parallel: 2, maxQueued: 256, maxQueuedPerKey: 64 },
  request: { parallel: 2, maxQueued: 256, maxQueuedPerKey: 64 },
  mail: { parallel: 2, maxQueued: 256, maxQueuedPerKey: 64 },
  notice: { parallel: 2, maxQueued: 1_000, maxQueuedPerKey: 1 },
  record: { parallel: 1, maxQueued: 1_000, maxQueuedPerKey: 200 },
} as const satisfies Record<string, LaneOptions>;

type LaneName = keyof typeof LANES;
/** The lanes of work that no answer has promised. */
type OpenLane = Exclude<LaneName, 'promised'>;

/** Starts the work that an operation has promised. May be called once. */
export type Follow = (piece: Pick<Piece, 'name' | 'work'>) => void;

/**
 * Work that is still running or waiting after this time is abandoned at shutdown. All work except sending e-mail takes
 * only milliseconds.
 */
const SHUTDOWN_MS = 10_000;

/**
 * Runs small pieces of work that an answer must not wait for, mostly so that its response time reveals nothing. The
 * work has separate database connections and runs a few pieces at a time. Beyond the limits of a lane, work is dropped,
 * counted in the metrics and reported by one log line a minute. Use this only for work that may be lost, because
 * pending work is also lost when the process dies.
 */
@Injectable()
export class BackgroundWork {
  private readonly logger = new Logger('background');
  private readonly seldom = new LogThrottle();
  private readonly lanes: Readonly<Record<LaneName, Lane>>;
  /** There are as many reservations as waiting places, so that promised work always has a place in its lane. */
  private readonly promises = new Reservations({
    most: LANES.promised.maxQueued,
    mostOfShare: LANES.promised.maxQueuedPerKey,
  });

  constructor(
    private readonly database: Database,
    metrics: Metrics,
  ) {
    const outcomes = metrics.counter('oes_background_work_total', 'Work after answers, by what became of it', [
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
    metrics.gauge('oes_background_work_waiting', 'Work after answers that waits for its turn', ['lane'], (gauge) => {
      for (const [name, { waiting }] of Object.entries(this.lanes)) gauge.set({ lane: name }, waiting);
    });
  }

  /** Starts work and never throws. Work that fails or finds no place is reported in the log and the metrics. */
  start(lane: OpenLane, piece: Piece): void {
    void this.offer(lane, piece);
  }

  /**
   * Runs an operation that promises work after its answer. The place for the work is always reserved before the
   * operation starts, and is released when the operation starts no work.
   * @param share who requests the operation
   * @throws KeyOverloadedError when the share has too much unfinished promised work
   * @throws OverloadedError when all shares together have too much unfinished promised work. Both errors are thrown
   * before the operation has started
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

  /** Waits until all work started so far, and all work that it starts, has ended. */
  async idle(): Promise<void> {
    const lanes = Object.values(this.lanes);
    while (lanes.some(({ size }) => size > 0)) await Promise.all(lanes.map((lane) => lane.idle()));
  }

  /**
   * Waits for open work at shutdown, when requests are no longer served. Does not wait for a mail server that hangs.
   */
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
    // The context is kept open for the log lines of the work, because the request that caused it has ended by then.
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
        this.logger.error(asError(error), `${what}, ${times} times since the last such line`),
      );
    }
  }
}
