import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../../../platform/database/database.js';

/** A longer silence than this counts as an outage. Seconds. */
const OUTAGE_SECONDS = 30;
/** Told by this process; a beat that comes a little early counts too. */
export const BEAT_EVERY_MS = 10_000;
const BEAT_AT_MOST_EVERY_MS = 8_000;

/** What has to run so that the absence of events says something about their senders. */
export type Watched = 'ingestion' | 'evaluation';

/**
 * Since when events could be taken and rules evaluated without a gap. Every process that does one of the two says so every
 * ten seconds; after half a minute in which none did, the time begins anew.
 */
@Injectable()
export class Heartbeats {
  private readonly beatAt = new Map<Watched, number>();

  constructor(private readonly database: Database) {}

  /** Beats unless this process has done so lately. */
  async beat(what: Watched): Promise<void> {
    const now = performance.now();
    if (now - (this.beatAt.get(what) ?? -Infinity) < BEAT_AT_MOST_EVERY_MS) return;
    await this.database.execute(
      `INSERT INTO alert_heartbeats AS h (name, up_since, beat_at) VALUES ($1, now(), now())
       ON CONFLICT ON CONSTRAINT pk_alert_heartbeats DO UPDATE SET beat_at = now(),
         up_since = CASE WHEN h.beat_at < now() - make_interval(secs => $2) THEN now() ELSE h.up_since END`,
      [what, OUTAGE_SECONDS],
    );
    this.beatAt.set(what, now);
  }

  /** Epoch milliseconds since when both have been running; null when one of them is not. */
  async upSince(db?: Db): Promise<number | null> {
    const rows = await this.database.rows<{ since: Date }>(
      `SELECT max(up_since) AS since FROM alert_heartbeats
       WHERE name IN ('ingestion', 'evaluation') AND beat_at >= clock_timestamp() - make_interval(secs => $1)
       HAVING count(*) = 2`,
      [OUTAGE_SECONDS],
      db,
    );
    return rows[0]?.since.getTime() ?? null;
  }
}
