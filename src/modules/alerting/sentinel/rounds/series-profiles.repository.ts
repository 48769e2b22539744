import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import type { Profile } from '../baseline/profile.js';
import type { SeriesName, SeriesType } from '../judging/finding-kinds.js';
import { bytesOf, profileFrom } from './profile-bytes.js';

/** A series and what is usual in it. */
export interface ProfiledSeries {
  readonly series: SeriesName;
  readonly profile: Profile;
}

/** What is usual in the series of projects. */
@Injectable()
export class SeriesProfilesRepository {
  constructor(private readonly database: Database) {}

  async of(projectId: ProjectId, tx: Db): Promise<ProfiledSeries[]> {
    const rows = await this.database.rows<{ type: SeriesType; value: string; profile: Buffer }>(
      'SELECT type, value, profile FROM sentinel_series WHERE project_id = $1 ORDER BY type, value',
      [projectId],
      tx,
    );
    return rows.map(({ type, value, profile }) => ({
      series: { type, value: type === 'project' ? null : value },
      profile: profileFrom(profile),
    }));
  }

  /** What is usual in some of the series from now on. */
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

  /** The others are watched no more. */
  async keepOnly(projectId: ProjectId, names: readonly SeriesName[], tx: Db): Promise<void> {
    await this.database.execute(
      `DELETE FROM sentinel_series WHERE project_id = $1
         AND (type, value) NOT IN (SELECT k.type, k.value FROM unnest($2::text[], $3::text[]) AS k (type, value))`,
      [projectId, names.map(({ type }) => type), names.map(({ value }) => value ?? '')],
      tx,
    );
  }
}
