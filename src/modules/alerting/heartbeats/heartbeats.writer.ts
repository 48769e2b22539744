import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import { Database, type Db } from '../../../platform/database/database.js';

/** A longer time without heartbeats than this counts as an outage. */
const OUTAGE_SECONDS = 30;
/** The interval of heartbeats of a process. A heartbeat that comes up to 2 seconds early is stored, too. */
export const BEAT_EVERY_MS = 10_000;
const BEAT_AT_MOST_EVERY_MS = 8_000;

/** The activities that have to run, so that the absence of events says something about the senders. */
export type Watched = 'ingestion' | 'draining' | 'evaluation';

/**
 * Stores since when events could be accepted, stored and evaluated by rules without a gap. Every process with one of
 * these activities sends a heartbeat every ten seconds. When an activity has had no heartbeat for half a minute, its
 * uptime starts again with the next one. Where accepted events wait in a queue, `draining` reports that the queue holds
 * no more than is being stored: events that wait there are not absent.
 */
@Injectable()
export class HeartbeatsWriter {
  private readonly beatAt = new Map<Watched, number>();

  private readonly needed: readonly Watched[];

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) { ingestion }: Config,
  ) {
    this.needed = ingestion.mode === 'queued' ? ['ingestion', 'draining', 'evaluation'] : ['ingestion', 'evaluation'];
  }

  /** Stores a heartbeat, unless this process stored one in the last 8 seconds. */
  async beat(what: Watched): Promise<void> {
    const now = performance.now();
    if (now - (this.beatAt.get(what) ?? -Infinity) < BEAT_AT_MOST_EVERY_MS) return;
    await this.database.execute(
      `INSERT INTO alert_heartbeats AS h (name, up_since, beat_at) VALUES ($1, now(), now())
       ON CONFLICT ON CONSTRAINT pk_alert_heartbeats DO UPDATE SET beat_at = now(),
         down_since = CASE WHEN h.beat_at < now() - make_interval(secs => $2) THEN h.beat_at ELSE h.down_since END,
         up_since = CASE WHEN h.beat_at < now() - make_interval(secs => $2) THEN now() ELSE h.up_since END`,
      [what, OUTAGE_SECONDS],
    );
    this.beatAt.set(what, now);
  }

  /** Returns since when all activities have been running, in epoch milliseconds; null when one of them is not. */
  async upSince(db?: Db): Promise<number | null> {
    const rows = await this.database.rows<{ since: Date }>(
      `SELECT max(up_since) AS since FROM alert_heartbeats
       WHERE name = ANY ($2::text[]) AND beat_at >= clock_timestamp() - make_interval(secs => $1)
       HAVING count(*) = cardinality($2::text[])`,
      [OUTAGE_SECONDS, this.needed],
      db,
    );
    return rows[0]?.since.getTime() ?? null;
  }

  /**
   * Returns since when all events could be accepted and stored, for a reader of the time before `until`: the end of the
   * last outage that began before `until`. Null: there was none; the time before the first heartbeat is no outage. For
   * an outage that still lasts it returns `until`.
   */
  async takenSince(until: Date, db?: Db): Promise<Date | null> {
    const [row] = await this.database.rows<{ since: Date | null }>(
      `SELECT max(CASE WHEN beat_at + make_interval(secs => $1) < least($2, clock_timestamp()) THEN $2
                       WHEN down_since < $2 THEN up_since END) AS since
       FROM alert_heartbeats WHERE name = ANY ($3::text[])`,
      [OUTAGE_SECONDS, until, this.needed.filter((name) => name !== 'evaluation')],
      db,
    );
    return row?.since ?? null;
  }
}
