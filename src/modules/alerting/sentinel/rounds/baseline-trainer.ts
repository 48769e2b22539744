import { Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Db } from '../../../../platform/database/database.js';
import { EventHistoryReader, SeriesReader } from '../../../events/event-store/index.js';
import { type Bucket, bucketOf, DAY_BUCKETS, startOf } from '../baseline/buckets.js';
import { isLearning, profileOf } from '../baseline/profile.js';
import type { Track } from '../baseline/track.js';
import type { SeriesName } from '../detection/finding-kinds.js';
import { historyOf, pieceFrom } from './training-plan.js';
import { bytesOfTracks, emptyTrack, fillTracks } from './training-points.js';
import { type Training, TrainingHistoryRepository } from './training-history.repository.js';
import { type ProfiledSeries, SeriesProfilesRepository } from './series-profiles.repository.js';
import { trackOf, wantedOf } from './tracks.js';

/** This many series are learned at a time. 28 days of one series take 130 KB of memory, and some milliseconds. */
const SERIES_A_PART = 50;
const DISTINCT_BUCKETS = 7 * DAY_BUCKETS;
const WHOLE: SeriesName = { type: 'project', value: null };

/**
 * Advances a training by one piece, which takes about half a second. A piece reads the next hours of history for all
 * series and stores them, or learns a part of the series from the stored history. The training of a small project is
 * one piece and stores no history.
 */
@Injectable()
export class BaselineTrainer {
  constructor(
    private readonly series: SeriesReader,
    private readonly history: EventHistoryReader,
    private readonly profiles: SeriesProfilesRepository,
    private readonly trainings: TrainingHistoryRepository,
  ) {}

  namesOf({ events, sources }: Pick<Training, 'events' | 'sources'>): SeriesName[] {
    return [
      WHOLE,
      ...sources.map((value) => ({ type: 'source', value }) as const),
      ...events.map((value) => ({ type: 'event', value }) as const),
    ];
  }

  seriesOf({ events, sources }: Pick<Training, 'events' | 'sources'>): number {
    return 1 + events.length + sources.length;
  }

  /** Returns whether a project as a whole has too little history. */
  isNew(profiles: readonly ProfiledSeries[], until: Bucket): boolean {
    const whole = profiles.find(({ series }) => series.type === 'project');
    return whole === undefined || isLearning(whole.profile, until);
  }

  async goOn(training: Training, tx: Db): Promise<Training> {
    return training.readFrom > training.since ? this.read(training, tx) : this.trainStored(training, tx);
  }

  private async read(training: Training, tx: Db): Promise<Training> {
    const { projectId } = training;
    const names = this.namesOf(training);
    const [since, until, to] = [training.since, training.until, training.readFrom].map((at) =>
      bucketOf(at.getTime()),
    ) as [Bucket, Bucket, Bucket];
    const hours = historyOf(await this.history.hours(projectId, { from: training.since, to: training.readFrom }, tx));
    const from = pieceFrom(hours, { since, to, series: names.length });
    const period = { from: startOf(from), to: training.readFrom };
    const points = await this.series.read({ projectId }, period, wantedOf(names), tx);
    const tracks = names.map((name) => trackOf(points, name));
    const most = await this.mostOf(training, { from: Math.max(from, until - DISTINCT_BUCKETS), to }, tx);
    const after = { ...training, ...most, readFrom: period.from };
    if (to === until && from === since && names.length <= SERIES_A_PART) return this.train(after, names, tracks, tx);
    for (let start = 0; start < names.length; start += SERIES_A_PART) {
      const bytes = await bytesOfTracks(tracks.slice(start, start + SERIES_A_PART));
      await this.trainings.keep(projectId, start / SERIES_A_PART, period.from, bytes, tx);
    }
    return after;
  }

  /** Returns the most distinct values in an hour that begins in this piece, or in a piece that was read before. */
  private async mostOf(
    { projectId, mostEventTypes, mostEndpoints }: Training,
    { from, to }: { readonly from: Bucket; readonly to: Bucket },
    tx: Db,
  ): Promise<Pick<Training, 'mostEventTypes' | 'mostEndpoints'>> {
    if (from >= to) return { mostEventTypes, mostEndpoints };
    const period = { from: startOf(from), to: startOf(to) };
    const { eventTypes, endpoints } = await this.history.mostDistinct(projectId, period, tx);
    return {
      mostEventTypes: greaterOf(mostEventTypes, eventTypes),
      mostEndpoints: greaterOf(mostEndpoints, endpoints),
    };
  }

  private async trainStored(training: Training, tx: Db): Promise<Training> {
    const names = this.namesOf(training).slice(training.learned, training.learned + SERIES_A_PART);
    const [first, behind] = [bucketOf(training.since.getTime()), bucketOf(training.until.getTime())];
    const tracks = names.map(() => emptyTrack(first, behind - first));
    for (const { from, points } of await this.trainings.kept(
      training.projectId,
      training.learned / SERIES_A_PART,
      tx,
    )) {
      await fillTracks(tracks, bucketOf(from.getTime()), points);
    }
    return this.train(training, names, tracks, tx);
  }

  private async train(
    training: Training,
    names: readonly SeriesName[],
    tracks: readonly Track[],
    tx: Db,
  ): Promise<Training> {
    const until = bucketOf(training.until.getTime());
    const made: ProfiledSeries[] = [];
    for (const [index, series] of names.entries()) {
      const track = tracks[index];
      if (track !== undefined) made.push({ series, profile: profileOf(track, until) });
      // A profile takes milliseconds, and there may be hundreds.
      await nextTurn();
    }
    await this.profiles.put(training.projectId, made, tx);
    const learning = made.filter(({ profile }) => isLearning(profile, until)).length;
    return { ...training, learned: training.learned + made.length, learning: training.learning + learning };
  }
}

function greaterOf(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.max(a, b);
}
