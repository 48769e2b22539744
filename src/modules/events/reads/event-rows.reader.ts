import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import type { Place } from './cursor.js';
import { type EventPlace, MEASURED_BYTES } from './event-places.js';

/** Of events without a size, those are measured together that take so much as stored, which may be a hundredth of their text. */
const MEASURED_AT_ONCE_BYTES = 32 * 1024;
const MEASURED_AT_ONCE = 200;

type Scope = Pick<ProjectScope, 'projectId'>;

/** Places that are read together, and the bytes they take. */
export interface Fitting {
  readonly places: readonly EventPlace[];
  readonly bytes: number;
}

/** What is read of each event, and the row that it makes. */
export interface Selection<Row> {
  readonly columns: string;
  /** Joined to `events`. */
  readonly join?: string;
  /** Only told to the compiler. */
  readonly row?: Row;
}

const MEASURED: Selection<{ id: string; measured: number }> = { columns: `id, ${MEASURED_BYTES} AS measured` };

/** Reads events whose places are known, no more than fit into a bound of bytes. */
@Injectable()
export class EventRowsReader {
  constructor(private readonly database: Database) {}

  /**
   * The first of the places, as many as fit; one at least when there is any.
   * @param tx a snapshot, where the reading has a time of its own; else each statement is by itself
   */
  async fit(scope: Scope, places: readonly EventPlace[], mostBytes: number, tx?: Db): Promise<Fitting> {
    const measured = new Map<EventPlace, number>();
    const fitting: EventPlace[] = [];
    let bytes = 0;
    for (const [index, place] of places.entries()) {
      if (place.bytes === null && !measured.has(place)) await this.measure(scope, places.slice(index), measured, tx);
      const next = place.bytes ?? measured.get(place) ?? 0;
      if (fitting.length > 0 && bytes + next > mostBytes) break;
      fitting.push(place);
      bytes += next;
    }
    return { places: fitting, bytes };
  }

  /**
   * In the order of the places. Events that are gone by now are missing.
   * @param tx as of {@link fit}
   */
  read<Row>(
    { projectId }: Scope,
    places: readonly Place[],
    { columns, join = '' }: Selection<Row>,
    tx?: Db,
  ): Promise<Row[]> {
    if (places.length === 0) return Promise.resolve([]);
    const times = places.map(({ timestamp }) => timestamp.getTime());
    return this.database.rows<Row>(
      `SELECT ${columns} FROM unnest($2::timestamptz[], $3::uuid[]) WITH ORDINALITY AS wanted (at, which, n)
       JOIN events ON project_id = $1 AND "timestamp" = at AND id = which
         AND "timestamp" BETWEEN $4 AND $5 ${join}
       ORDER BY n`,
      [
        projectId,
        places.map(({ timestamp }) => timestamp),
        places.map(({ id }) => id),
        new Date(Math.min(...times)),
        new Date(Math.max(...times)),
      ],
      tx,
    );
  }

  private async measure(
    scope: Scope,
    places: readonly EventPlace[],
    measured: Map<EventPlace, number>,
    tx: Db | undefined,
  ): Promise<void> {
    const together: EventPlace[] = [];
    let stored = 0;
    for (const place of places) {
      if (place.bytes !== null) continue;
      stored += place.stored ?? 0;
      if (together.length > 0 && (stored > MEASURED_AT_ONCE_BYTES || together.length >= MEASURED_AT_ONCE)) break;
      together.push(place);
    }
    const rows = await this.read(scope, together, MEASURED, tx);
    const sizes = new Map(rows.map(({ id, measured: size }) => [id, size]));
    for (const place of together) measured.set(place, sizes.get(place.id) ?? 0);
  }
}
