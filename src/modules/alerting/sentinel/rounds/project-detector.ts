import { Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Db } from '../../../../platform/database/database.js';
import { HeartbeatsWriter } from '../../heartbeats/index.js';
import { EventHistoryReader, SeriesReader } from '../../../events/event-store/index.js';
import { type Bucket, BUCKET_MS, bucketOf, HOUR_BUCKETS, startOf } from '../baseline/buckets.js';
import { isLearning } from '../baseline/profile.js';
import { type Track, valueOf } from '../baseline/track.js';
import { confirms, CONFIRMATION_BUCKETS } from '../detectors/confirmation.js';
import { assessDistinctValues } from '../detectors/distinct-values.js';
import { isLong } from '../detectors/silence.js';
import type { Feedback } from '../findings/feedback.repository.js';
import { SERIES_TYPES, type SeriesName, type FindingSubject, subjectKey } from '../detection/finding-kinds.js';
import { detectInSeries, type Detection, SEEN_IN } from '../detection/detect-in-series.js';
import type { KnownProject } from './project-profiler.js';
import { type ProfiledSeries, SeriesProfilesRepository } from './series-profiles.repository.js';
import { trackOf, wantedOf } from './tracks.js';
import type { WatchedProject } from './watched-projects.repository.js';

/** Each dismissal that raises bounds raises them by half. */
const RAISE = 1.5;
/**
 * At most this many candidates of one bucket and project are checked against their stream: the widest and most unusual
 * ones. Each check takes a quarter of a second.
 */
const MOST_CANDIDATES = 8;
const WHOLE: SeriesName = { type: 'project', value: null };

/** A series with its figures of the last buckets. */
export interface WatchedSeries extends ProfiledSeries {
  readonly track: Track;
}

/** The result of the evaluation of a bucket of a project. */
export interface EvaluatedBucket {
  readonly bucket: Bucket;
  readonly series: readonly WatchedSeries[];
  /** All detections that are not normal, and the normal ones that may end a finding. */
  readonly detections: readonly Detection[];
}

/** Says which subjects have findings that a bucket may change. */
export interface ActiveSubjects {
  has(subject: FindingSubject): boolean;
  /** Returns whether the subject has an unresolved finding, whose candidates need no confirmation. */
  isUnresolved(subject: FindingSubject): boolean;
}

/** Evaluates a bucket of a project: reads the figures of the bucket, and runs the detectors. */
@Injectable()
export class ProjectDetector {
  constructor(
    private readonly reader: SeriesReader,
    private readonly history: EventHistoryReader,
    private readonly profiles: SeriesProfilesRepository,
    private readonly heartbeats: HeartbeatsWriter,
  ) {}

  async detect(
    project: WatchedProject,
    known: KnownProject,
    feedback: readonly Feedback[],
    active: ActiveSubjects,
    tx: Db,
  ): Promise<EvaluatedBucket> {
    const bucket = bucketOf(project.due.getTime());
    const raises = new Map(feedback.map((one) => [subjectKey(one), RAISE ** one.raises]));
    const raisedOf = (subject: FindingSubject): number =>
      raises.size === 0 ? 1 : (raises.get(subjectKey(subject)) ?? 1);
    const read = await this.read(project, known.profiles, bucket, tx);
    const silent = await this.silencesOf(project, read, bucket, tx);
    const isLongSilent = (one: WatchedSeries): boolean => isLong({ since: silent(one) }, one.profile, bucket);
    const series = await this.wholly(project, read, isLongSilent, tx);
    const taken = await this.heartbeats.takenSince(startOf(bucket + 1), tx);
    const takenSince = taken === null ? null : Math.ceil(taken.getTime() / BUCKET_MS);
    const detections = series.flatMap((one) =>
      detectInSeries({
        series: one.series,
        track: one.track,
        profile: one.profile,
        bucket,
        silentSince: silent(one),
        takenSince,
        raised: raisedOf,
      }).filter((one) => isKept(one, active)),
    );
    const settled = await this.settle(project, detections, series, active, tx);
    const distinct = await this.distinctValues(project, known, bucket, raisedOf, tx);
    return { bucket, series, detections: [...settled, ...distinct.filter((one) => isKept(one, active))] };
  }

  private async read(
    { projectId }: WatchedProject,
    profiles: readonly ProfiledSeries[],
    bucket: Bucket,
    tx: Db,
  ): Promise<WatchedSeries[]> {
    const window = { from: startOf(bucket - SEEN_IN + 1), to: startOf(bucket + 1) };
    const wanted = wantedOf(profiles.map(({ series }) => series));
    const read = await this.reader.read({ projectId }, window, wanted, tx);
    return profiles.map(({ series, profile }) => ({ series, profile, track: trackOf(read, series) }));
  }

  /** Returns the same series. Series that satisfy `isWhole` get their whole profiles. */
  private async wholly<S extends ProfiledSeries>(
    { projectId }: WatchedProject,
    series: readonly S[],
    isWhole: (one: S) => boolean,
    tx: Db,
  ): Promise<S[]> {
    const wanted = series.filter(isWhole).map((one) => one.series);
    if (wanted.length === 0) return [...series];
    const whole = new Map(
      (await this.profiles.whole(projectId, wanted, tx)).map((one) => [seriesKey(one.series), one]),
    );
    return series.map((one) => ({ ...one, profile: whole.get(seriesKey(one.series))?.profile ?? one.profile }));
  }

  /** Returns a function that says since which bucket a series has had no events. */
  private async silencesOf(
    { projectId }: WatchedProject,
    series: readonly WatchedSeries[],
    bucket: Bucket,
    tx: Db,
  ): Promise<(one: WatchedSeries) => Bucket | null> {
    const silent = series.filter(
      ({ track, profile }) => !isLearning(profile, bucket) && valueOf(track, 'events', bucket) === 0,
    );
    const project = silent.some((one) => one.series.type === 'project');
    const last = new Map<string, Bucket>();
    if (silent.length > 0) {
      const wanted = { ...wantedOf(silent.map((one) => one.series)), project };
      for (const { type, value, at } of await this.history.lastEvents(projectId, wanted, startOf(bucket + 1), tx)) {
        last.set(seriesKey({ type, value }), bucketOf(at.getTime()));
      }
    }
    return ({ series: { type, value }, track }) => {
      if (valueOf(track, 'events', bucket) > 0) return null;
      const seen = last.get(seriesKey({ type, value }));
      return seen === undefined ? null : seen + 1;
    };
  }

  /**
   * Confirms or rejects candidates by the stream of the last days. Candidates of subjects with an unresolved finding
   * become `unusual` without this check.
   */
  private async settle(
    project: WatchedProject,
    detections: readonly Detection[],
    series: readonly WatchedSeries[],
    active: ActiveSubjects,
    tx: Db,
  ): Promise<Detection[]> {
    const candidates = detections
      .filter((one) => one.assessment.level === 'candidate' && !active.isUnresolved(one))
      .sort((a, b) => widthOf(a) - widthOf(b) || b.assessment.score - a.assessment.score)
      .slice(0, MOST_CANDIDATES);
    const told = new Set<Detection>();
    const [first] = candidates;
    if (first !== undefined) {
      const { bucket } = first;
      const window = { from: startOf(bucket - CONFIRMATION_BUCKETS + 1), to: startOf(bucket + 1) };
      const names = new Set(candidates.map((one) => one.series));
      const read = await this.reader.read(project, window, wantedOf([...names]), tx);
      const looked = series.filter((one) => names.has(one.series));
      const whole = await this.wholly(project, looked, () => true, tx);
      for (const one of candidates) {
        const profile = whole.find((known) => known.series === one.series)?.profile;
        const metric = one.metric === 'p95_latency_ms' ? 'p95' : 'events';
        if (profile !== undefined && confirms(trackOf(read, one.series), profile, metric, bucket)) told.add(one);
        await nextTurn();
      }
    }
    return detections.map((one) => {
      if (one.assessment.level !== 'candidate') return one;
      const isTold = told.has(one);
      const level = isTold ? 'told' : 'unusual';
      return { ...one, assessment: { ...one.assessment, level }, isTellable: one.isTellable || isTold };
    });
  }

  /** Evaluates the distinct values in the hour that ends with the bucket. */
  private async distinctValues(
    { projectId }: WatchedProject,
    { mostEventTypes, mostEndpoints }: KnownProject,
    bucket: Bucket,
    raisedOf: (subject: FindingSubject) => number,
    tx: Db,
  ): Promise<Detection[]> {
    const hour = { from: startOf(bucket - HOUR_BUCKETS + 1), to: startOf(bucket + 1) };
    const { eventTypes, endpoints } = await this.history.distinct(projectId, hour, tx);
    const evaluated = (metric: 'event_types' | 'endpoints', values: number, most: number | null): Detection => {
      const subject = { kind: 'cardinality_explosion', series: WHOLE, metric } as const;
      const assessment = assessDistinctValues(values, most, raisedOf(subject));
      return { ...subject, bucket, since: bucket, assessment, isTellable: assessment.level === 'told' };
    };
    return [evaluated('event_types', eventTypes, mostEventTypes), evaluated('endpoints', endpoints, mostEndpoints)];
  }
}

/**
 * Returns whether a detection is needed. Nearly all of the thousands of a bucket are normal. If they were kept during
 * the queries that follow, they would stay in memory for long.
 */
function isKept(one: Detection, active: ActiveSubjects): boolean {
  return one.assessment.level !== 'normal' || one.isTellable || active.has(one);
}

function seriesKey({ type, value }: SeriesName): string {
  return `${type} ${value ?? ''}`;
}

function widthOf({ series }: Detection): number {
  return SERIES_TYPES.indexOf(series.type);
}
