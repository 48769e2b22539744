import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import { Database, type Db } from '../../../platform/database/database.js';

/** A longer silence than this counts as an outage. Seconds. */
const OUTAGE_SECONDS = 30;
/** Told by this process; a beat that comes a little early counts too. */
export const BEAT_EVERY_MS = 10_000;
const BEAT_AT_MOST_EVERY_MS = 8_000;

/** What has to run so that the absence of events says something about their senders. */
export type Watched = 'ingestion' | 'draining' | 'evaluation';

/**
 * Since when events could be taken, stored and looked at by rules without a gap. Every process that does one of these says
 * so every ten seconds; after half a minute in which none did, the time begins anew. Where accepted events wait in a queue,
 * `draining` says that the queue holds no more than is being stored: what waits there is not absent.
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

  /** Beats unless this process has done so lately. */
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

  /** Epoch milliseconds since when all of them have been running; null when one of them is not. */
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
   * Since when events could be taken for good, as far as somebody who looks at a time before `until` is concerned: the end
   * of the last outage that began before it. Null: there was none, and the time before the first beat counts as up.
   * An outage that goes on ends at `until` at the earliest.
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
