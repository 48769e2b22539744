import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Db } from '../../../../platform/database/database.js';
import { providerOf } from '../../../../platform/discovery/provider-of.js';
import { newId } from '../../../../platform/ids/index.js';
import { Metrics } from '../../../../platform/telemetry/index.js';
import { type Bucket, bucketOf, DAY_BUCKETS, startOf } from '../baseline/buckets.js';
import type { Level } from '../detectors/assessment.js';
import { type EvidencePoint, MOST_POINTS, POINTS_BEHIND } from '../findings/evidence.js';
import type { ActiveFindingRow } from '../findings/finding-columns.js';
import type { Finding } from '../findings/finding.entity.js';
import { type FindingMove, type ActiveFinding, moveOf } from '../findings/finding-life.js';
import { type FindingPoint, FindingPointsRepository } from '../findings/finding-points.repository.js';
import { type FindingChange, FindingWatcher } from '../findings/finding-watcher.js';
import { ActiveFindingsRepository } from '../findings/active-findings.repository.js';
import { type Cause, causesOf } from '../detection/causes.js';
import { type FindingKind, type FindingSubject, subjectKey } from '../detection/finding-kinds.js';
import type { Detection } from '../detection/detect-in-series.js';
import { EvidenceWriter, pointOf } from './evidence-writer.js';
import type { NewEventType } from '../../../events/event-store/index.js';
import type { EvaluatedBucket, ActiveSubjects } from './project-detector.js';
import type { WatchedProject } from './watched-projects.repository.js';

/** The finding of a new event type ends after this many buckets. */
const NEW_TYPE_BUCKETS = DAY_BUCKETS;

/** The findings of a project that a bucket may still change. */
export class ActiveFindings implements ActiveSubjects {
  /** The newest finding of each subject. */
  private readonly newest = new Map<string, ActiveFindingRow>();

  constructor(private readonly findings: readonly ActiveFindingRow[]) {
    for (const finding of findings.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())) {
      const key = subjectKey(subjectOf(finding));
      // An unresolved finding takes precedence, even over findings that were created later.
      if (!isUnresolved(this.newest.get(key))) this.newest.set(key, finding);
    }
  }

  get unresolved(): readonly ActiveFindingRow[] {
    return this.findings.filter(isUnresolved);
  }

  of(subject: FindingSubject): ActiveFindingRow | null {
    return this.newest.size === 0 ? null : (this.newest.get(subjectKey(subject)) ?? null);
  }

  has(subject: FindingSubject): boolean {
    return this.of(subject) !== null;
  }

  isUnresolved(subject: FindingSubject): boolean {
    return isUnresolved(this.of(subject));
  }
}

/** Opens, extends, resolves and reopens findings, and notifies their watcher. */
@Injectable()
export class FindingLifecycle {
  private readonly moved;

  constructor(
    private readonly active: ActiveFindingsRepository,
    private readonly points: FindingPointsRepository,
    private readonly evidence: EvidenceWriter,
    private readonly discovery: DiscoveryService,
    metrics: Metrics,
  ) {
    this.moved = metrics.counter('oes_sentinel_findings_total', 'Findings by what happened to them', ['kind', 'move']);
  }

  async open({ projectId, due }: WatchedProject, tx: Db): Promise<ActiveFindings> {
    const bucket = bucketOf(due.getTime());
    return new ActiveFindings(await this.active.since(projectId, startOf(bucket - POINTS_BEHIND), tx));
  }

  /** Applies an evaluated bucket to the findings of its project. */
  async write(
    project: WatchedProject,
    activeFindings: ActiveFindings,
    evaluated: EvaluatedBucket,
    isMuted: (subject: FindingSubject) => boolean,
    tx: Db,
  ): Promise<void> {
    const { bucket, detections } = evaluated;
    const active = detections.filter(
      (one) =>
        one.isTellable ||
        one.assessment.level === 'told' ||
        (one.assessment.level === 'unusual' && activeFindings.isUnresolved(one)),
    );
    const causes = new Map<Detection, Cause>(causesOf(active).map((cause) => [cause.told, cause]));
    const silent = new Set(active.filter(({ kind }) => kind === 'silence').map(({ series }) => series));
    const entries = new FindingEntries();
    const opening: Detection[] = [];
    for (const detection of detections) {
      const finding = activeFindings.of(detection);
      // A drop that has become a silence is resolved.
      const isSilent = detection.kind === 'rate_drop' && silent.has(detection.series);
      const level = isSilent ? 'normal' : levelOf(detection, causes);
      const life = finding === null ? null : lifeOf(finding);
      const move = isSilent && isUnresolved(finding) ? 'resolve' : moveOf(life, level, bucket, isMuted(detection));
      if (move === 'open') opening.push(detection);
      else if (finding !== null) this.go(finding, move, detection, causes.get(detection), evaluated, entries);
    }
    await this.begin(project, opening, causes, evaluated, entries, tx);
    this.goOnUnevaluated(activeFindings, detections, bucket, entries);
    this.goOnWithNewTypes(activeFindings, bucket, entries);
    await this.put(project, entries, bucket, tx);
  }

  /** Returns how many new event types were found on the UTC day of the bucket. */
  newTypesOf({ projectId }: WatchedProject, bucket: Bucket, tx: Db): Promise<number> {
    const day = Math.floor(bucket / DAY_BUCKETS) * DAY_BUCKETS;
    return this.active.countNewTypes(projectId, startOf(day), startOf(day + DAY_BUCKETS), tx);
  }

  /** Opens a finding for each event type that had no event before. */
  async writeNewTypes(project: WatchedProject, types: readonly NewEventType[], bucket: Bucket, tx: Db): Promise<void> {
    const entries = new FindingEntries();
    for (const type of types) entries.open(this.evidence.ofNewType(project, newId(), type, bucket));
    await this.put(project, entries, bucket, tx);
  }

  private async begin(
    project: WatchedProject,
    opening: readonly Detection[],
    causes: ReadonlyMap<Detection, Cause>,
    evaluated: EvaluatedBucket,
    entries: FindingEntries,
    tx: Db,
  ): Promise<void> {
    if (opening.length === 0) return;
    const shown = await this.evidence.before(project, opening, evaluated.bucket, tx);
    for (const detection of opening) {
      const contributors = causes.get(detection)?.contributors ?? [];
      entries.open(this.evidence.opened(project, newId(), detection, contributors, evaluated, shown));
    }
  }

  private go(
    finding: ActiveFindingRow,
    move: Exclude<FindingMove, 'open'> | null,
    detection: Detection,
    cause: Cause | undefined,
    evaluated: EvaluatedBucket,
    entries: FindingEntries,
  ): void {
    const { bucket } = evaluated;
    const isEnded = move === null && !isUnresolved(finding);
    if (isEnded && bucket > bucketOf(finding.lastSeenAt.getTime()) + POINTS_BEHIND) return;
    const isSeen = move === 'extend' || move === 'reopen';
    entries.point(finding, pointOf(detection, isSeen));
    if (isEnded) return;
    if (!isSeen) {
      this.passBy(finding, move, bucket, entries);
      return;
    }
    const after = this.evidence.extended(finding, detection, cause?.contributors ?? [], evaluated);
    if (move === 'reopen') {
      Object.assign(after, { status: after.acknowledgedAt === null ? 'open' : 'acknowledged', resolvedAt: null });
      entries.change(after, { move: 'opened', finding: after }, move);
    } else entries.change(after, { move: 'extended', finding: after, until: startOf(bucket + 1) });
  }

  /** Records a bucket in which an unresolved finding did not continue. */
  private passBy(finding: ActiveFindingRow, move: 'resolve' | null, bucket: Bucket, entries: FindingEntries): void {
    const after: ActiveFindingRow = { ...finding, normalBuckets: finding.normalBuckets + 1 };
    if (move === null) entries.change(after, null);
    else {
      Object.assign(after, { status: 'resolved', resolvedAt: startOf(bucket) });
      entries.change(after, { move: 'ended', finding: after }, move);
    }
  }

  /**
   * Counts the bucket as normal for findings of series that are no longer watched, or have too little history by now.
   */
  private goOnUnevaluated(
    activeFindings: ActiveFindings,
    detections: readonly Detection[],
    bucket: Bucket,
    entries: FindingEntries,
  ): void {
    const evaluated = new Set(detections.map(subjectKey));
    for (const finding of activeFindings.unresolved) {
      if (finding.kind === 'new_event_type' || evaluated.has(subjectKey(subjectOf(finding)))) continue;
      const move = moveOf(lifeOf(finding), 'normal', bucket, false);
      this.passBy(finding, move === 'resolve' ? move : null, bucket, entries);
    }
  }

  /**
   * Extends or resolves findings of new event types. No detector evaluates these findings. They end when they reach
   * their age limit.
   */
  private goOnWithNewTypes({ unresolved }: ActiveFindings, bucket: Bucket, entries: FindingEntries): void {
    for (const finding of unresolved) {
      if (finding.kind !== 'new_event_type') continue;
      if (bucket - bucketOf(finding.lastSeenAt.getTime()) >= NEW_TYPE_BUCKETS) {
        this.passBy(finding, 'resolve', bucket, entries);
      } else entries.tell({ move: 'extended', finding, until: startOf(bucket + 1) });
    }
  }

  /** Stores the changes in a few statements, however many findings a bucket changes, and notifies the watcher. */
  private async put(
    { projectId }: WatchedProject,
    { opened, changed, points, changes, moves }: FindingEntries,
    bucket: Bucket,
    tx: Db,
  ): Promise<void> {
    await this.active.insert(opened, tx);
    await this.active.save(projectId, changed, tx);
    await this.points.add(projectId, points, tx);
    const oldest = startOf(bucket - MOST_POINTS);
    const long = changed.filter(({ createdAt }) => createdAt < oldest).map(({ id }) => id);
    await this.points.removeUntil(projectId, long, oldest, tx);
    for (const { kind, move } of moves) this.moved.inc({ kind, move });
    if (changes.length > 0) await providerOf(this.discovery, FindingWatcher)?.changed(projectId, changes, tx);
  }
}

/** Collects what a bucket changes. */
class FindingEntries {
  readonly opened: Finding[] = [];
  readonly changed: ActiveFindingRow[] = [];
  readonly points: FindingPoint[] = [];
  readonly changes: FindingChange[] = [];
  readonly moves: { readonly kind: FindingKind; readonly move: FindingMove }[] = [];

  open(finding: Finding): void {
    this.opened.push(finding);
    this.tell({ move: 'opened', finding });
    this.moves.push({ kind: finding.kind, move: 'open' });
  }

  /** @param move the move to count in the metric, if any */
  change(finding: ActiveFindingRow, change: FindingChange | null, move?: FindingMove): void {
    this.changed.push(finding);
    if (change !== null) this.tell(change);
    if (move !== undefined) this.moves.push({ kind: finding.kind, move });
  }

  point({ id: findingId }: ActiveFindingRow, point: EvidencePoint): void {
    this.points.push({ findingId, ...point });
  }

  tell(change: FindingChange): void {
    this.changes.push(change);
  }
}

function subjectOf({ kind, seriesType, seriesValue, metric }: ActiveFindingRow): FindingSubject {
  return { kind, series: { type: seriesType, value: seriesType === 'project' ? null : seriesValue }, metric };
}

function isUnresolved(finding: ActiveFindingRow | null | undefined): boolean {
  return finding?.status === 'open' || finding?.status === 'acknowledged';
}

function lifeOf({ status, resolvedAt, normalBuckets }: ActiveFindingRow): ActiveFinding {
  return {
    status,
    normal: normalBuckets,
    resolvedIn: resolvedAt === null ? null : bucketOf(resolvedAt.getTime()),
  };
}

/** Returns the level of a detection. A contributor of a wider finding is not reported separately: it is `unusual`. */
function levelOf(detection: Detection, causes: ReadonlyMap<Detection, Cause>): Exclude<Level, 'candidate'> {
  const { level } = detection.assessment;
  if (level === 'candidate') throw new Error('Candidates are settled before they are written down');
  return level === 'told' && !causes.has(detection) ? 'unusual' : level;
}
