import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Db } from '../../../../platform/database/database.js';
import { providerOf } from '../../../../platform/discovery/provider-of.js';
import { newId } from '../../../../platform/ids/index.js';
import { Metrics } from '../../../../platform/telemetry/index.js';
import { type Bucket, bucketOf, DAY_BUCKETS, startOf } from '../baseline/buckets.js';
import type { Level } from '../detectors/assessment.js';
import { POINTS_BEHIND } from '../findings/evidence.js';
import type { Finding } from '../findings/finding.entity.js';
import { type FindingMove, type LivingFinding, moveOf } from '../findings/finding-life.js';
import { FindingWatcher } from '../findings/finding-watcher.js';
import { LivingFindingsRepository } from '../findings/living-findings.repository.js';
import { type Cause, causesOf } from '../judging/causes.js';
import { type Subject, subjectKey } from '../judging/finding-kinds.js';
import type { Judgement } from '../judging/judge-series.js';
import { type Before, EvidenceWriter } from './evidence-writer.js';
import type { NewEventType } from './event-history.repository.js';
import type { JudgedBucket, LivingSubjects } from './project-judge.js';
import type { WatchedProject } from './watched-projects.repository.js';

/** After so long a new event type is new no more. */
const NEW_TYPE_BUCKETS = DAY_BUCKETS;

/** The findings of a project that a bucket may still change. */
export class OpenBook implements LivingSubjects {
  /** By subject the newest. */
  private readonly newest = new Map<string, Finding>();

  constructor(readonly findings: readonly Finding[]) {
    for (const finding of findings.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())) {
      const key = subjectKey(subjectOf(finding));
      // An unresolved one decides, whatever was made behind it.
      if (!isUnresolved(this.newest.get(key))) this.newest.set(key, finding);
    }
  }

  of(subject: Subject): Finding | null {
    return this.newest.size === 0 ? null : (this.newest.get(subjectKey(subject)) ?? null);
  }

  has(subject: Subject): boolean {
    return this.of(subject) !== null;
  }

  isUnresolved(subject: Subject): boolean {
    return isUnresolved(this.of(subject));
  }
}

/** Writes down what is told: opens findings, extends, ends and opens them again, and says so to whoever watches them. */
@Injectable()
export class FindingBook {
  private readonly moved;

  constructor(
    private readonly living: LivingFindingsRepository,
    private readonly evidence: EvidenceWriter,
    private readonly discovery: DiscoveryService,
    metrics: Metrics,
  ) {
    this.moved = metrics.counter('sentinel_findings_total', 'Findings by what happened to them', ['kind', 'move']);
  }

  async open({ projectId, due }: WatchedProject, tx: Db): Promise<OpenBook> {
    const bucket = bucketOf(due.getTime());
    return new OpenBook(await this.living.since(projectId, startOf(bucket - POINTS_BEHIND), tx));
  }

  /** What a bucket does to the findings of its project. */
  async write(
    project: WatchedProject,
    book: OpenBook,
    judged: JudgedBucket,
    isMuted: (subject: Subject) => boolean,
    tx: Db,
  ): Promise<void> {
    const { bucket, judgements } = judged;
    const active = judgements.filter(
      (one) =>
        one.isTellable ||
        one.assessment.level === 'told' ||
        (one.assessment.level === 'unusual' && book.isUnresolved(one)),
    );
    const causes = new Map<Judgement, Cause>(causesOf(active).map((cause) => [cause.told, cause]));
    const silent = new Set(active.filter(({ kind }) => kind === 'silence').map(({ series }) => series));
    const moves = judgements.map((judgement) => {
      const finding = book.of(judgement);
      // A drop that has become a silence ends with it.
      const isSilent = judgement.kind === 'rate_drop' && silent.has(judgement.series);
      const level = isSilent ? 'normal' : levelOf(judgement, causes);
      const life = finding === null ? null : lifeOf(finding);
      const move = isSilent && isUnresolved(finding) ? 'resolve' : moveOf(life, level, bucket, isMuted(judgement));
      return { judgement, finding, move };
    });
    const opening = moves.filter(({ move }) => move === 'open').map(({ judgement }) => judgement);
    const before = await this.evidence.before(project, opening, bucket, tx);
    for (const { judgement, finding, move } of moves) {
      if (move === 'open') await this.begin(project, judgement, causes.get(judgement), judged, before, tx);
      else if (finding !== null) await this.go(finding, move, judgement, causes.get(judgement), judged, tx);
    }
    await this.goOnWithNewTypes(book, bucket, tx);
  }

  /** How many types were told of on the bucket's day. */
  newTypesOf({ projectId }: WatchedProject, bucket: Bucket, tx: Db): Promise<number> {
    const day = Math.floor(bucket / DAY_BUCKETS) * DAY_BUCKETS;
    return this.living.countNewTypes(projectId, startOf(day), startOf(day + DAY_BUCKETS), tx);
  }

  /** Tells of types that had no event before. */
  async writeNewTypes(
    { projectId }: WatchedProject,
    types: readonly NewEventType[],
    bucket: Bucket,
    tx: Db,
  ): Promise<void> {
    for (const type of types)
      await this.insert(await this.evidence.ofNewType(projectId, newId(), type, bucket, tx), tx);
  }

  private async begin(
    project: WatchedProject,
    judgement: Judgement,
    cause: Cause | undefined,
    judged: JudgedBucket,
    before: ReadonlyMap<Judgement, Before>,
    tx: Db,
  ): Promise<void> {
    const contributors = cause?.contributors ?? [];
    await this.insert(await this.evidence.opened(project, newId(), judgement, contributors, judged, before, tx), tx);
  }

  private async insert(finding: Finding, tx: Db): Promise<void> {
    await this.living.insert(finding, tx);
    this.moved.inc({ kind: finding.kind, move: 'open' });
    await this.watcher?.opened(finding, tx);
  }

  private async go(
    finding: Finding,
    move: Exclude<FindingMove, 'open'> | null,
    judgement: Judgement,
    cause: Cause | undefined,
    judged: JudgedBucket,
    tx: Db,
  ): Promise<void> {
    const { bucket } = judged;
    // The points of one that goes on also tell how many normal buckets it has had.
    if (move === null && !isUnresolved(finding) && bucket > bucketOf(finding.lastSeenAt.getTime()) + POINTS_BEHIND)
      return;
    const isSeen = move === 'extend' || move === 'reopen';
    const after = this.evidence.extended(finding, judgement, cause?.contributors ?? [], isSeen, judged);
    if (move === 'resolve') Object.assign(after, { status: 'resolved', resolvedAt: startOf(bucket) });
    if (move === 'reopen') {
      Object.assign(after, { status: after.acknowledgedAt === null ? 'open' : 'acknowledged', resolvedAt: null });
    }
    await this.living.save(after, tx);
    if (move === null) return;
    if (move !== 'extend') this.moved.inc({ kind: finding.kind, move });
    if (move === 'resolve') await this.watcher?.ended(after, tx);
    else if (move === 'reopen') await this.watcher?.opened(after, tx);
    else await this.watcher?.extended(after, startOf(bucket + 1), tx);
  }

  /** No detector says of a type that it is new still: its time does. */
  private async goOnWithNewTypes({ findings }: OpenBook, bucket: Bucket, tx: Db): Promise<void> {
    for (const finding of findings) {
      if (finding.kind !== 'new_event_type' || !isUnresolved(finding)) continue;
      if (bucket - bucketOf(finding.lastSeenAt.getTime()) < NEW_TYPE_BUCKETS) {
        await this.watcher?.extended(finding, startOf(bucket + 1), tx);
        continue;
      }
      const after: Finding = { ...finding, status: 'resolved', resolvedAt: startOf(bucket) };
      await this.living.save(after, tx);
      this.moved.inc({ kind: finding.kind, move: 'resolve' });
      await this.watcher?.ended(after, tx);
    }
  }

  private get watcher(): FindingWatcher | undefined {
    return providerOf(this.discovery, FindingWatcher);
  }
}

function subjectOf({ kind, seriesType, seriesValue, metric }: Finding): Subject {
  return { kind, series: { type: seriesType, value: seriesType === 'project' ? null : seriesValue }, metric };
}

function isUnresolved(finding: Finding | null | undefined): boolean {
  return finding?.status === 'open' || finding?.status === 'acknowledged';
}

function lifeOf({ status, lastSeenAt, resolvedAt, evidence }: Finding): LivingFinding {
  return {
    status,
    normal: evidence.points.filter(({ ts }) => Date.parse(ts) > lastSeenAt.getTime()).length,
    resolvedIn: resolvedAt === null ? null : bucketOf(resolvedAt.getTime()),
  };
}

/** What is told along with something wider is not told by itself. */
function levelOf(judgement: Judgement, causes: ReadonlyMap<Judgement, Cause>): Exclude<Level, 'candidate'> {
  const { level } = judgement.assessment;
  if (level === 'candidate') throw new Error('Candidates are settled before they are written down');
  return level === 'told' && !causes.has(judgement) ? 'unusual' : level;
}
