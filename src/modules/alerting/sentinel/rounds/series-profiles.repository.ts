import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { type Bucket, HOUR_BUCKETS, hourOfWeek } from '../baseline/buckets.js';
import type { Profile } from '../baseline/profile.js';
import type { SeriesName, SeriesType } from '../detection/finding-kinds.js';
import { bytesOf, LAYOUT, profileFrom } from './profile-bytes.js';

/** A series and its profile. */
export interface ProfiledSeries {
  readonly series: SeriesName;
  readonly profile: Profile;
}

interface Row {
  readonly type: SeriesType;
  readonly value: string;
  readonly profile: Buffer;
}

/** Selects the values of two hours from the lists of a profile. */
const HOURS_OF_PROFILE = Array.from({ length: LAYOUT.lists }, (_, list) => LAYOUT.figures + list * LAYOUT.list + 1)
  .flatMap((start) =>
    ['$2', '$3'].map((hour) => `substring(whole FROM ${start} + ${LAYOUT.value} * ${hour} FOR ${LAYOUT.value})`),
  )
  .join(' || ');

/** Stores the profiles of the series of projects. */
@Injectable()
export class SeriesProfilesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns all series, with the part of their profiles for a bucket's hour and the hour after it: 100 bytes of 4 KB.
   */
  async near(projectId: ProjectId, from: Bucket, tx: Db): Promise<ProfiledSeries[]> {
    const hours = [hourOfWeek(from), hourOfWeek(from + HOUR_BUCKETS)] as const;
    const rows = await this.database.rows<Row>(
      // `profile || ''` decompresses a profile once, and not once for each `substring`.
      `SELECT type, value, substring(whole FOR ${LAYOUT.figures}) || ${HOURS_OF_PROFILE} AS profile
       FROM (SELECT type, value, profile || ''::bytea AS whole FROM sentinel_series WHERE project_id = $1 OFFSET 0) s
       ORDER BY type, value`,
      [projectId, ...hours],
      tx,
    );
    return rows.map((row) => seriesFrom(row, hours[0]));
  }

  /** Returns the whole profiles of some series. Series without a profile are left out. */
  async whole(projectId: ProjectId, names: readonly SeriesName[], tx: Db): Promise<ProfiledSeries[]> {
    if (names.length === 0) return [];
    const rows = await this.database.rows<Row>(
      `SELECT type, value, profile FROM sentinel_series WHERE project_id = $1
         AND (type, value) IN (SELECT k.type, k.value FROM unnest($2::text[], $3::text[]) AS k (type, value))`,
      [projectId, names.map(({ type }) => type), names.map(({ value }) => value ?? '')],
      tx,
    );
    return rows.map((row) => seriesFrom(row));
  }

  /** Stores the new profiles of some series. */
  async put(projectId: ProjectId, series: readonly ProfiledSeries[], tx: Db): Promise<void> {
    await this.database.execute(
      `INSERT INTO sentinel_series (project_id, type, value, profile)
       SELECT $1, s.type, s.value, s.profile FROM unnest($2::text[], $3::text[], $4::bytea[]) AS s (type, value, profile)
       ON CONFLICT ON CONSTRAINT pk_sentinel_series DO UPDATE SET profile = excluded.profile`,
      [
        projectId,
        series.map((one) => one.series.type),
        series.map((one) => one.series.value ?? ''),
        series.map((one) => bytesOf(one.profile)),
      ],
      tx,
    );
  }

  /** Deletes the profiles of all series but these. */
  async keepOnly(projectId: ProjectId, names: readonly SeriesName[], tx: Db): Promise<void> {
    await this.database.execute(
      `DELETE FROM sentinel_series WHERE project_id = $1
         AND (type, value) NOT IN (SELECT k.type, k.value FROM unnest($2::text[], $3::text[]) AS k (type, value))`,
      [projectId, names.map(({ type }) => type), names.map(({ value }) => value ?? '')],
      tx,
    );
  }
}

function seriesFrom({ type, value, profile }: Row, firstHour?: number): ProfiledSeries {
  return { series: { type, value: type === 'project' ? null : value }, profile: profileFrom(profile, firstHour) };
}
