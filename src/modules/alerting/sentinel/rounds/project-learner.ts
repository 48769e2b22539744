import { Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Db } from '../../../../platform/database/database.js';
import { EventHistoryReader, SeriesReader } from '../../../events/event-store/index.js';
import { type Bucket, bucketOf, DAY_BUCKETS, startOf } from '../baseline/buckets.js';
import { isLearning, profileOf } from '../baseline/profile.js';
import type { Track } from '../baseline/track.js';
import type { SeriesName } from '../judging/finding-kinds.js';
import { historyOf, pieceFrom } from './lesson-plan.js';
import { bytesOfTracks, emptyTrack, fillTracks } from './lesson-points.js';
import { type Lesson, LessonsRepository } from './lessons.repository.js';
import { type ProfiledSeries, SeriesProfilesRepository } from './series-profiles.repository.js';
import { trackOf, wantedOf } from './tracks.js';

/** This many series are learned at a time. 28 days of one series take 130 KB of memory, and some milliseconds. */
const SERIES_A_PART = 50;
const DISTINCT_BUCKETS = 7 * DAY_BUCKETS;
const WHOLE: SeriesName = { type: 'project', value: null };

/**
 * Advances a lesson by one piece, which takes about half a second. A piece reads the next hours of history for all
 * series and stores them, or learns a part of the series from the stored history. The lesson of a small project is one
 * piece and stores no history.
 */
@Injectable()
export class ProjectLearner {
  constructor(
    private readonly series: SeriesReader,
    private readonly history: EventHistoryReader,
    private readonly profiles: SeriesProfilesRepository,
    private readonly lessons: LessonsRepository,
  ) {}

  namesOf({ events, sources }: Pick<Lesson, 'events' | 'sources'>): SeriesName[] {
    return [
      WHOLE,
      ...sources.map((value) => ({ type: 'source', value }) as const),
      ...events.map((value) => ({ type: 'event', value }) as const),
    ];
  }

  seriesOf({ events, sources }: Pick<Lesson, 'events' | 'sources'>): number {
    return 1 + events.length + sources.length;
  }

  /** Returns whether a project as a whole has too little history. */
  isNew(profiles: readonly ProfiledSeries[], until: Bucket): boolean {
    const whole = profiles.find(({ series }) => series.type === 'project');
    return whole === undefined || isLearning(whole.profile, until);
  }

  async goOn(lesson: Lesson, tx: Db): Promise<Lesson> {
    return lesson.readFrom > lesson.since ? this.read(lesson, tx) : this.learnKept(lesson, tx);
  }

  private async read(lesson: Lesson, tx: Db): Promise<Lesson> {
    const { projectId } = lesson;
    const names = this.namesOf(lesson);
    const [since, until, to] = [lesson.since, lesson.until, lesson.readFrom].map((at) => bucketOf(at.getTime())) as [
      Bucket,
      Bucket,
      Bucket,
    ];
    const hours = historyOf(await this.history.hours(projectId, { from: lesson.since, to: lesson.readFrom }, tx));
    const from = pieceFrom(hours, { since, to, series: names.length });
    const period = { from: startOf(from), to: lesson.readFrom };
    const points = await this.series.read({ projectId }, period, wantedOf(names), tx);
    const tracks = names.map((name) => trackOf(points, name));
    const most = await this.mostOf(lesson, { from: Math.max(from, until - DISTINCT_BUCKETS), to }, tx);
    const after = { ...lesson, ...most, readFrom: period.from };
    if (to === until && from === since && names.length <= SERIES_A_PART) return this.learn(after, names, tracks, tx);
    for (let start = 0; start < names.length; start += SERIES_A_PART) {
      const bytes = await bytesOfTracks(tracks.slice(start, start + SERIES_A_PART));
      await this.lessons.keep(projectId, start / SERIES_A_PART, period.from, bytes, tx);
    }
    return after;
  }

  /** Returns the most distinct values in an hour that begins in this piece, or in a piece that was read before. */
  private async mostOf(
    { projectId, mostEventTypes, mostEndpoints }: Lesson,
    { from, to }: { readonly from: Bucket; readonly to: Bucket },
    tx: Db,
  ): Promise<Pick<Lesson, 'mostEventTypes' | 'mostEndpoints'>> {
    if (from >= to) return { mostEventTypes, mostEndpoints };
    const period = { from: startOf(from), to: startOf(to) };
    const { eventTypes, endpoints } = await this.history.mostDistinct(projectId, period, tx);
    return {
      mostEventTypes: greaterOf(mostEventTypes, eventTypes),
      mostEndpoints: greaterOf(mostEndpoints, endpoints),
    };
  }

  private async learnKept(lesson: Lesson, tx: Db): Promise<Lesson> {
    const names = this.namesOf(lesson).slice(lesson.learned, lesson.learned + SERIES_A_PART);
    const [first, behind] = [bucketOf(lesson.since.getTime()), bucketOf(lesson.until.getTime())];
    const tracks = names.map(() => emptyTrack(first, behind - first));
    for (const { from, points } of await this.lessons.kept(lesson.projectId, lesson.learned / SERIES_A_PART, tx)) {
      await fillTracks(tracks, bucketOf(from.getTime()), points);
    }
    return this.learn(lesson, names, tracks, tx);
  }

  private async learn(lesson: Lesson, names: readonly SeriesName[], tracks: readonly Track[], tx: Db): Promise<Lesson> {
    const until = bucketOf(lesson.until.getTime());
    const made: ProfiledSeries[] = [];
    for (const [index, series] of names.entries()) {
      const track = tracks[index];
      if (track !== undefined) made.push({ series, profile: profileOf(track, until) });
      // A profile takes milliseconds, and there may be hundreds.
      await nextTurn();
    }
    await this.profiles.put(lesson.projectId, made, tx);
    const learning = made.filter(({ profile }) => isLearning(profile, until)).length;
    return { ...lesson, learned: lesson.learned + made.length, learning: lesson.learning + learning };
  }
}

function greaterOf(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.max(a, b);
}
