import { Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ProjectId } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { Metrics } from '../../../../platform/telemetry/index.js';
import { SeriesReader } from '../../../events/hour-rollups/index.js';
import { BASELINE_BUCKETS, type Bucket, bucketOf, DAY_BUCKETS, HOUR_BUCKETS, startOf } from '../baseline/buckets.js';
import { isLearning, profileOf } from '../baseline/profile.js';
import type { SeriesName } from '../judging/finding-kinds.js';
import { EventHistoryRepository } from './event-history.repository.js';
import { isChanged, isOutgrown } from './profile-age.js';
import { type ProfiledSeries, SeriesProfilesRepository } from './series-profiles.repository.js';
import { trackOf, wantedOf } from './tracks.js';
import { type Profiled, type WatchedProject, WatchedProjectsRepository } from './watched-projects.repository.js';

/** Series whose 28 days are in memory at a time: 130 KB each. */
const SERIES_AT_A_TIME = 50;
const DISTINCT_BUCKETS = 7 * DAY_BUCKETS;
const WHOLE: SeriesName = { type: 'project', value: null };

/** What is known of a project before a bucket is judged. */
export interface KnownProject extends Pick<Profiled, 'oldestEventAt' | 'mostEventTypes' | 'mostEndpoints'> {
  readonly profiles: readonly ProfiledSeries[];
}

/**
 * Knows what is usual in a project's series. Learned once a day from 28 days of history, when a series may have learned
 * enough, and where that history has changed because events came late.
 */
@Injectable()
export class ProjectProfiler {
  private readonly rebuilt;

  constructor(
    private readonly series: SeriesReader,
    private readonly history: EventHistoryRepository,
    private readonly profiles: SeriesProfilesRepository,
    private readonly projects: WatchedProjectsRepository,
    metrics: Metrics,
  ) {
    this.rebuilt = metrics.counter('sentinel_profiles_total', 'Times that what is usual in a project was learned anew');
  }

  async of(project: WatchedProject, tx: Db): Promise<KnownProject> {
    const until = Math.floor(bucketOf(project.due.getTime()) / HOUR_BUCKETS) * HOUR_BUCKETS;
    if (project.profiledUntil !== null) {
      const profiles = await this.profiles.of(project.projectId, tx);
      if (!(await this.isOld(project, project.profiledUntil, profiles, until, tx))) {
        const { oldestEventAt, mostEventTypes, mostEndpoints } = project;
        return { profiles, oldestEventAt, mostEventTypes, mostEndpoints };
      }
    }
    return this.learn(project.projectId, until, tx);
  }

  private async isOld(
    { projectId, profiledEvents }: WatchedProject,
    profiledUntil: Date,
    profiles: readonly ProfiledSeries[],
    until: Bucket,
    tx: Db,
  ): Promise<boolean> {
    const made = bucketOf(profiledUntil.getTime());
    if (isOutgrown(projectId, made, profiles, until)) return true;
    const { events } = await this.history.extent(projectId, periodOf(made - BASELINE_BUCKETS, made), tx);
    return isChanged({ known: profiledEvents, now: events, hours: (until - made) / HOUR_BUCKETS });
  }

  private async learn(projectId: ProjectId, until: Bucket, tx: Db): Promise<KnownProject> {
    this.rebuilt.inc();
    const period = periodOf(until - BASELINE_BUCKETS, until);
    const { events, oldest } = await this.history.extent(projectId, period, tx);
    const named = await this.history.series(projectId, period, tx);
    const names: SeriesName[] = [
      WHOLE,
      ...named.sources.map((value) => ({ type: 'source', value }) as const),
      ...named.events.map((value) => ({ type: 'event', value }) as const),
    ];
    const profiles: ProfiledSeries[] = [];
    for (let start = 0; start < names.length; start += SERIES_AT_A_TIME) {
      profiles.push(...(await this.learned(projectId, names.slice(start, start + SERIES_AT_A_TIME), until, tx)));
    }
    const isNew = profiles[0] === undefined || isLearning(profiles[0].profile, until);
    const most = isNew
      ? { eventTypes: null, endpoints: null }
      : await this.history.mostDistinct(projectId, periodOf(until - DISTINCT_BUCKETS, until), tx);
    const made = {
      oldestEventAt: oldest,
      mostEventTypes: most.eventTypes,
      mostEndpoints: most.endpoints,
      series: profiles.length,
      learning: profiles.filter(({ profile }) => isLearning(profile, until)).length,
    };
    await this.profiles.replace(projectId, profiles, tx);
    await this.projects.profiled(projectId, { ...made, until: startOf(until), events }, tx);
    return { ...made, profiles };
  }

  private async learned(
    projectId: ProjectId,
    names: readonly SeriesName[],
    until: Bucket,
    tx: Db,
  ): Promise<ProfiledSeries[]> {
    const period = periodOf(until - BASELINE_BUCKETS, until);
    const read = await this.series.read({ projectId }, period, wantedOf(names), tx);
    const profiles: ProfiledSeries[] = [];
    for (const series of names) {
      profiles.push({ series, profile: profileOf(trackOf(read, series), until) });
      // A profile takes milliseconds, and there may be hundreds.
      await nextTurn();
    }
    return profiles;
  }
}

function periodOf(from: Bucket, to: Bucket): { from: Date; to: Date } {
  return { from: startOf(from), to: startOf(to) };
}
