import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { Metrics } from '../../../../platform/telemetry/index.js';
import { BASELINE_BUCKETS, type Bucket, bucketOf, DAY_BUCKETS, HOUR_BUCKETS, startOf } from '../baseline/buckets.js';
import { LEARNING_BUCKETS } from '../baseline/profile.js';
import { SEEN_IN } from '../detection/detect-in-series.js';
import { EventHistoryReader } from '../../../events/event-store/index.js';
import { historyOf, reachOf } from './training-plan.js';
import { type Training, TrainingHistoryRepository } from './training-history.repository.js';
import { isChanged, isOutgrown } from './profile-age.js';
import { BaselineTrainer } from './baseline-trainer.js';
import { type ProfiledSeries, SeriesProfilesRepository } from './series-profiles.repository.js';
import { type Profiled, type WatchedProject, WatchedProjectsRepository } from './watched-projects.repository.js';

/**
 * When a new training would be too short for any finding, the known profiles are kept for this long at a time, until
 * they are `KEPT_AT_MOST` old.
 */
const REST_BUCKETS = HOUR_BUCKETS;
const KEPT_AT_MOST = LEARNING_BUCKETS;

/** The baseline of a project by which a bucket is evaluated. */
export interface KnownProject extends Pick<Profiled, 'oldestEventAt' | 'mostEventTypes' | 'mostEndpoints'> {
  /** The profile of each series, limited to the hours by which the bucket is evaluated. */
  readonly profiles: readonly ProfiledSeries[];
}

/**
 * Provides the baseline of a project. It is learned from 28 days of history: once a day, when a series may have learned
 * enough, and when late events have changed the history. Trainings run in pieces, between which other projects have
 * their turn.
 */
@Injectable()
export class ProjectProfiler {
  private readonly rebuilt;

  constructor(
    private readonly history: EventHistoryReader,
    private readonly profiles: SeriesProfilesRepository,
    private readonly projects: WatchedProjectsRepository,
    private readonly trainings: TrainingHistoryRepository,
    private readonly trainer: BaselineTrainer,
    metrics: Metrics,
  ) {
    this.rebuilt = metrics.counter('oes_sentinel_profiles_total', 'Times that the baseline of a project was rebuilt');
  }

  /** @returns null when a piece was learned, and more has to be learned before the bucket can be evaluated */
  async of(project: WatchedProject, tx: Db): Promise<KnownProject | null> {
    const until = Math.floor(bucketOf(project.due.getTime()) / HOUR_BUCKETS) * HOUR_BUCKETS;
    let training = await this.trainings.find(project.projectId, tx);
    if (training !== null && !isOf(training, until)) {
      await this.trainings.end(project.projectId, tx);
      training = null;
    }
    if (training === null) {
      const known = await this.stillKnown(project, until, tx);
      if (known !== null) return known;
      training = await this.begin(project, until, tx);
    }
    return this.goOn(project, training, until, tx);
  }

  private async stillKnown(project: WatchedProject, until: Bucket, tx: Db): Promise<KnownProject | null> {
    if (project.profiledUntil === null) return null;
    const profiles = await this.near(project, tx);
    const isOld = await this.isOld(project, project.profiledUntil, profiles, until, tx);
    return isOld ? null : knownOf(project, profiles);
  }

  private async isOld(
    { projectId, profiledEvents, restsUntil, due, isSpent }: WatchedProject,
    profiledUntil: Date,
    profiles: readonly ProfiledSeries[],
    until: Bucket,
    tx: Db,
  ): Promise<boolean> {
    if (restsUntil !== null && due < restsUntil) return false;
    const made = bucketOf(profiledUntil.getTime());
    if (isOutgrown(projectId, made, profiles, until)) return true;
    if (isSpent) return false;
    const { events } = await this.history.extent(projectId, periodOf(made - BASELINE_BUCKETS, made), tx);
    return isChanged({ known: profiledEvents, now: events, hours: (until - made) / HOUR_BUCKETS });
  }

  private near({ projectId, due }: WatchedProject, tx: Db): Promise<ProfiledSeries[]> {
    return this.profiles.near(projectId, bucketOf(due.getTime()) - SEEN_IN + 1, tx);
  }

  private async begin({ projectId }: WatchedProject, until: Bucket, tx: Db): Promise<Training> {
    this.rebuilt.inc();
    const period = periodOf(until - BASELINE_BUCKETS, until);
    const { events: counted, oldest } = await this.history.extent(projectId, period, tx);
    const { events, sources } = await this.history.series(projectId, period, tx);
    const hours = historyOf(await this.history.hours(projectId, period, tx));
    const { since, rows } = reachOf(hours, until - BASELINE_BUCKETS);
    await this.projects.charge(projectId, rows, tx);
    const training = { projectId, until: startOf(until), since: startOf(since), events, sources, counted };
    return this.trainings.begin({ ...training, oldestEventAt: oldest }, tx);
  }

  private async goOn(project: WatchedProject, training: Training, until: Bucket, tx: Db): Promise<KnownProject | null> {
    const { projectId, profiledUntil } = project;
    if (profiledUntil !== null && isShort(training) && until - bucketOf(profiledUntil.getTime()) < KEPT_AT_MOST) {
      await this.trainings.end(projectId, tx);
      await this.projects.rest(projectId, startOf(until + REST_BUCKETS), tx);
      return knownOf(project, await this.near(project, tx));
    }
    const after = await this.trainer.goOn(training, tx);
    if (after.learned < this.trainer.seriesOf(after)) {
      await this.trainings.advance(after, tx);
      return null;
    }
    return this.finish(project, after, tx);
  }

  private async finish(project: WatchedProject, training: Training, tx: Db): Promise<KnownProject> {
    const { projectId, learning, learned, counted, oldestEventAt, until } = training;
    await this.profiles.keepOnly(projectId, this.trainer.namesOf(training), tx);
    const profiles = await this.near(project, tx);
    const isNew = this.trainer.isNew(profiles, bucketOf(until.getTime()));
    const made = {
      oldestEventAt,
      mostEventTypes: isNew ? null : training.mostEventTypes,
      mostEndpoints: isNew ? null : training.mostEndpoints,
    };
    await this.projects.profiled(projectId, { ...made, until, events: counted, series: learned, learning }, tx);
    await this.trainings.end(projectId, tx);
    return { ...made, profiles };
  }

  /** Records that a piece could not be read in time. */
  async failed(projectId: ProjectId): Promise<void> {
    await this.trainings.fail(projectId);
  }
}

/** Returns whether a training is less than a day older than the wanted bucket. An older training is dropped. */
function isOf({ until }: Training, wanted: Bucket): boolean {
  const behind = wanted - bucketOf(until.getTime());
  return behind >= 0 && behind < DAY_BUCKETS;
}

/** Returns whether so much history had to be left out that the rest is too short for any finding. */
function isShort({ since, until }: Training): boolean {
  return bucketOf(until.getTime()) - bucketOf(since.getTime()) < LEARNING_BUCKETS;
}

function knownOf(
  { oldestEventAt, mostEventTypes, mostEndpoints }: WatchedProject,
  profiles: readonly ProfiledSeries[],
): KnownProject {
  return { profiles, oldestEventAt, mostEventTypes, mostEndpoints };
}

function periodOf(from: Bucket, to: Bucket): { from: Date; to: Date } {
  return { from: startOf(from), to: startOf(to) };
}
