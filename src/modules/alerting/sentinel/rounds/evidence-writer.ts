import { Injectable } from '@nestjs/common';
import type { Db } from '../../../../platform/database/database.js';
import { EventHistoryReader, type NewEventType, SeriesReader } from '../../../events/event-store/index.js';
import { type Bucket, BUCKET_MS, bucketOf, startOf } from '../baseline/buckets.js';
import { methodOf, type Profile } from '../baseline/profile.js';
import { endOf, type Track, valueOf } from '../baseline/track.js';
import { SEVERITIES } from '../detectors/assessment.js';
import { expectationOf } from '../detectors/rates.js';
import {
  type Contributor,
  type EvidencePoint,
  MOST_CONTRIBUTORS,
  MOST_POINTS,
  MOST_SAMPLES,
  POINTS_BEFORE,
} from '../findings/evidence.js';
import type { ActiveFindingRow } from '../findings/finding-columns.js';
import type { Finding } from '../findings/finding.entity.js';
import { summaryOf, titleOf } from '../findings/finding-texts.js';
import type { Metric, FindingSubject } from '../detection/finding-kinds.js';
import type { Detection } from '../detection/detect-in-series.js';
import type { EvaluatedBucket, WatchedSeries } from './project-detector.js';
import { SeriesProfilesRepository } from './series-profiles.repository.js';
import { trackOf, wantedOf } from './tracks.js';
import type { WatchedProject } from './watched-projects.repository.js';

const HOUR_MS = 3_600_000;
const NOT_ENDED = {
  acknowledgedAt: null,
  acknowledgedBy: null,
  resolvedAt: null,
  dismissedAt: null,
  dismissedBy: null,
  feedbackReason: null,
  feedbackNote: null,
} as const;

/** The evidence of the findings that open in a bucket. */
export interface Shown {
  /** The points before the bucket that opens the finding. */
  readonly points: ReadonlyMap<Detection, readonly EvidencePoint[]>;
  readonly samples: ReadonlyMap<Detection, readonly string[]>;
}

/** Creates findings and their evidence. */
@Injectable()
export class EvidenceWriter {
  constructor(
    private readonly reader: SeriesReader,
    private readonly history: EventHistoryReader,
    private readonly profiles: SeriesProfilesRepository,
  ) {}

  /** Reads the evidence of all findings that open in one bucket. */
  async before(project: WatchedProject, opening: readonly Detection[], bucket: Bucket, tx: Db): Promise<Shown> {
    return {
      points: new Map([
        ...(await this.bucketsBefore(project, opening, bucket, tx)),
        ...(await this.hoursBefore(project, opening, bucket, tx)),
      ]),
      samples: await this.samples(project, opening, bucket, tx),
    };
  }

  private async bucketsBefore(
    project: WatchedProject,
    opening: readonly Detection[],
    bucket: Bucket,
    tx: Db,
  ): Promise<[Detection, EvidencePoint[]][]> {
    const { projectId } = project;
    const shown = opening.filter((one) => !isOfHours(one));
    if (shown.length === 0) return [];
    const since = Math.min(bucket, ...shown.map((one) => one.since));
    const from = Math.max(since - POINTS_BEFORE, bucket - MOST_POINTS + 1);
    const window = { from: startOf(from), to: startOf(bucket + 1) };
    const names = shown.map(({ series }) => series);
    const read = await this.reader.read({ projectId }, window, wantedOf(names), tx);
    const whole = await this.profiles.whole(projectId, names, tx);
    return shown.flatMap((one) => {
      const { type, value } = one.series;
      const known = whole.find(({ series }) => series.type === type && series.value === value);
      return known === undefined ? [] : [[one, pointsBefore(project, one, trackOf(read, one.series), known.profile)]];
    });
  }

  /**
   * Returns a point for each clock hour before the evaluated hour. The points have no expected values, because the
   * detector evaluates the last twelve buckets and not clock hours.
   */
  private async hoursBefore(
    { projectId }: WatchedProject,
    opening: readonly Detection[],
    bucket: Bucket,
    tx: Db,
  ): Promise<[Detection, EvidencePoint[]][]> {
    const shown = opening.filter(isOfHours);
    if (shown.length === 0) return [];
    const evaluatedFrom = startOf(bucket + 1).getTime() - HOUR_MS;
    const to = evaluatedFrom - (evaluatedFrom % HOUR_MS);
    const period = { from: new Date(to - POINTS_BEFORE * HOUR_MS), to: new Date(to) };
    const hours = await this.history.distinctOfHours(projectId, period, tx);
    return shown.map((one) => [
      one,
      hours.map(({ hour, eventTypes, endpoints }) => ({
        ts: hour.toISOString(),
        actual: one.metric === 'endpoints' ? endpoints : eventTypes,
        ...NOT_EVALUATED,
        is_anomalous: false,
      })),
    ]);
  }

  /** Returns the ids of sample events from the last hour. */
  private async samples(
    { projectId }: WatchedProject,
    opening: readonly Detection[],
    bucket: Bucket,
    tx: Db,
  ): Promise<Shown['samples']> {
    const to = startOf(bucket + 1);
    const wanted = opening.map(({ kind, series: { type, value } }) => ({
      event: type === 'event' ? value : null,
      source: type === 'source' ? value : null,
      errors: kind === 'error_burst',
    }));
    const period = { from: new Date(to.getTime() - HOUR_MS), to };
    const found = await this.history.samples(projectId, period, wanted, MOST_SAMPLES, tx);
    return new Map(opening.map((one, index) => [one, found[index] ?? []]));
  }

  opened(
    project: WatchedProject,
    id: string,
    detection: Detection,
    contributors: readonly Detection[],
    evaluated: EvaluatedBucket,
    shown: Shown,
  ): Finding {
    const { bucket, since, assessment } = detection;
    const series = seriesOf(detection, evaluated);
    const baseline = evaluated.series[0]?.profile;
    const profile = series?.profile ?? baseline;
    const subject = { kind: detection.kind, series: detection.series, metric: detection.metric };
    return {
      ...startOfFinding(project, id, subject),
      ...figuresOf(detection),
      startedAt: startOf(Math.min(since, bucket)),
      lastSeenAt: startOf(bucket),
      evidence: {
        interval_seconds: (isOfHours(detection) ? HOUR_MS : BUCKET_MS) / 1_000,
        points: [...(shown.points.get(detection) ?? []), pointOf(detection, true)],
        baseline: {
          from_ts: startOf(profile?.since ?? bucket).toISOString(),
          to_ts: startOf(profile?.until ?? bucket).toISOString(),
          samples: profile === undefined ? 0 : profile.until - profile.since,
          method: profile === undefined ? ('recent' as const) : methodOf(profile),
        },
        sample_event_ids: shown.samples.get(detection) ?? [],
      },
      contributors: contributorsOf(detection, contributors, evaluated),
      severity: assessment.severity,
    };
  }

  /** Returns the finding extended by a bucket in which it continues. */
  extended(
    finding: ActiveFindingRow,
    detection: Detection,
    contributors: readonly Detection[],
    evaluated: EvaluatedBucket,
  ): ActiveFindingRow {
    const more = contributorsOf(detection, contributors, evaluated);
    const known = new Set(more.map(({ field, value }) => `${field} ${value}`));
    const others = finding.contributors.filter(({ field, value }) => !known.has(`${field} ${value}`));
    const after: ActiveFindingRow = {
      ...finding,
      lastSeenAt: startOf(detection.bucket),
      normalBuckets: 0,
      score: Math.max(finding.score, detection.assessment.score),
      contributors: [...others, ...more].slice(-MOST_CONTRIBUTORS),
    };
    return isWorse(detection, finding) ? { ...after, ...figuresOf(detection), score: after.score } : after;
  }

  ofNewType(project: WatchedProject, id: string, type: NewEventType, bucket: Bucket): Finding {
    const subject: FindingSubject = {
      kind: 'new_event_type',
      series: { type: 'event', value: type.event },
      metric: 'events',
    };
    const at = startOf(bucket);
    return {
      ...startOfFinding(project, id, subject),
      title: titleOf(subject),
      summary: summaryOf(subject, { actual: null, expected: null, severity: 'info' }),
      severity: 'info',
      score: 1,
      actual: null,
      expected: null,
      lower: null,
      upper: null,
      startedAt: at,
      lastSeenAt: at,
      contributors: [],
      evidence: {
        interval_seconds: BUCKET_MS / 1_000,
        points: [],
        baseline: { from_ts: at.toISOString(), to_ts: at.toISOString(), samples: 0, method: 'recent' },
        sample_event_ids: [type.firstEventId],
      },
    };
  }
}

/**
 * Returns whether a detection covers an hour. Distinct values are evaluated by the hour, all other kinds by the bucket.
 */
function isOfHours({ kind }: Detection): boolean {
  return kind === 'cardinality_explosion';
}

function startOfFinding({ projectId, now }: WatchedProject, id: string, { kind, series, metric }: FindingSubject) {
  return {
    id,
    projectId,
    kind,
    metric,
    seriesType: series.type,
    seriesValue: series.value ?? '',
    status: 'open' as const,
    normalBuckets: 0,
    detectedAt: now,
    createdAt: now,
    updatedAt: now,
    ...NOT_ENDED,
  };
}

type Figures = Pick<Finding, 'actual' | 'expected' | 'lower' | 'upper' | 'score' | 'severity' | 'title' | 'summary'>;

function figuresOf(detection: Detection): Figures {
  const { actual, expected, lower, upper, score, severity } = detection.assessment;
  const subject = { kind: detection.kind, series: detection.series, metric: detection.metric };
  const summary = summaryOf(subject, { actual, expected, severity });
  return { actual, expected, lower, upper, score, severity, title: titleOf(subject), summary };
}

/**
 * Returns whether a bucket is worse than the worst one before: more severe, or as severe and further from what is
 * usual. Scores cannot decide, because they are capped at 1. So the severity never falls while a finding continues.
 */
function isWorse({ assessment }: Detection, finding: ActiveFindingRow): boolean {
  const [now, before] = [assessment, finding].map(({ severity }) => SEVERITIES.indexOf(severity));
  if (now !== before) return (now ?? 0) > (before ?? 0);
  return excessOf(assessment) > excessOf(finding);
}

/** Returns how far a figure lies beyond the bound that it broke; 0 when it broke none. */
function excessOf({ actual, lower, upper }: Pick<Finding, 'actual' | 'lower' | 'upper'>): number {
  if (actual === null || lower === null || upper === null) return 0;
  return Math.max(0, actual - upper, lower - actual);
}

function seriesOf({ series }: Detection, evaluated: EvaluatedBucket): WatchedSeries | undefined {
  return evaluated.series.find((one) => one.series.type === series.type && one.series.value === series.value);
}

/** Returns the bucket as it was evaluated. @param isAnomalous whether the finding continues in the bucket */
export function pointOf({ bucket, assessment }: Detection, isAnomalous: boolean): EvidencePoint {
  const { actual, expected, lower, upper } = assessment;
  return { ts: startOf(bucket).toISOString(), actual, expected, lower, upper, is_anomalous: isAnomalous };
}

/** Returns the points before the opening bucket. Only numbers of events, in evaluated buckets, have expected values. */
function pointsBefore(project: WatchedProject, detection: Detection, track: Track, profile: Profile): EvidencePoint[] {
  const points: EvidencePoint[] = [];
  const evaluatedFrom = bucketOf(project.judgingSince.getTime());
  const from = Math.max(track.first, Math.min(detection.since, detection.bucket) - POINTS_BEFORE);
  for (let bucket = from; bucket < Math.min(detection.bucket, endOf(track)); bucket++) {
    const actual = actualOf(detection.metric, track, bucket);
    const band =
      bucket >= evaluatedFrom && detection.metric === 'events' ? expectationOf(profile, bucket) : NOT_EVALUATED;
    const isAnomalous = bucket >= detection.since;
    points.push({ ts: startOf(bucket).toISOString(), actual, ...band, is_anomalous: isAnomalous });
  }
  return points;
}

const NOT_EVALUATED = { expected: null, lower: null, upper: null } as const;

function actualOf(metric: Metric, track: Track, bucket: Bucket): number | null {
  const events = valueOf(track, 'events', bucket);
  if (metric === 'error_rate') return events === 0 ? 0 : valueOf(track, 'errors', bucket) / events;
  if (metric !== 'p95_latency_ms') return events;
  const p95 = valueOf(track, 'p95', bucket);
  return p95 < 0 ? null : p95;
}

/** Returns the narrower series that contribute to a detection, those whose share has changed most first. */
function contributorsOf(
  told: Detection,
  contributors: readonly Detection[],
  evaluated: EvaluatedBucket,
): Contributor[] {
  const whole = seriesOf({ ...told, series: { type: 'project', value: null } }, evaluated);
  if (whole === undefined) return [];
  const { bucket } = told;
  const all = { now: valueOf(whole.track, 'events', bucket), usual: expectationOf(whole.profile, bucket).expected };
  const seen = new Map<string, Contributor>();
  for (const one of contributors) {
    const series = seriesOf(one, evaluated);
    if (series === undefined || one.series.value === null) continue;
    const [now, usual] = [valueOf(series.track, 'events', bucket), expectationOf(series.profile, bucket).expected];
    const field = one.series.type === 'event' ? 'event' : 'source_id';
    const [share, usualShare] = [shareOf(now, all.now), shareOf(usual, all.usual)];
    seen.set(`${field} ${one.series.value}`, { field, value: one.series.value, share, usual_share: usualShare });
  }
  const change = ({ share, usual_share: usual }: Contributor): number => Math.abs(share - usual);
  return [...seen.values()].sort((a, b) => change(b) - change(a)).slice(0, MOST_CONTRIBUTORS);
}

function shareOf(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.min(1, part / whole);
}
