import { Injectable, Logger } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { isCanceled } from '../../../../platform/database/database-faults.js';
import { Metrics } from '../../../../platform/telemetry/index.js';
import { type Bucket, BUCKET_MS, bucketOf, DAY_BUCKETS, startOf } from '../baseline/buckets.js';
import { type Feedback, FeedbackRepository } from '../findings/feedback.repository.js';
import { type FindingSubject, subjectKey } from '../detection/finding-kinds.js';
import { EventHistoryReader } from '../../../events/event-store/index.js';
import { FindingLifecycle } from './finding-lifecycle.js';
import { ProjectDetector } from './project-detector.js';
import { type KnownProject, ProjectProfiler } from './project-profiler.js';
import { type WatchedProject, WatchedProjectsRepository } from './watched-projects.repository.js';

/** A statement for one project times out after this long, because the other projects wait for it. */
const STATEMENT_MS = 10_000;
/**
 * A project pauses for this many seconds after a failure, and for a whole bucket after a timeout. A project with
 * millions of events in its last buckets would otherwise time out every minute, until rollups cover them.
 */
const REST = { failed: 60, tooLong: 300 } as const;
/** At most this many new event types are reported for one project and UTC day. */
const NEW_TYPES_A_DAY = 10;
const MS = 1_000;

type Turn = 'judged' | 'learned' | 'failed' | 'none';

/**
 * Evaluates the buckets that are due. One transaction locks the row of a project, stores its findings and how far the
 * evaluation has come, and fires rules. So a bucket is evaluated once, even when a worker dies.
 */
@Injectable()
export class DetectionScheduler {
  private readonly logger = new Logger('sentinel');
  private readonly rounds;
  private readonly evaluated;
  private readonly series;
  private readonly delay;

  constructor(
    private readonly database: Database,
    private readonly projects: WatchedProjectsRepository,
    private readonly profiler: ProjectProfiler,
    private readonly detector: ProjectDetector,
    private readonly history: EventHistoryReader,
    private readonly feedback: FeedbackRepository,
    private readonly lifecycle: FindingLifecycle,
    metrics: Metrics,
  ) {
    this.rounds = metrics.counter('oes_sentinel_rounds_total', 'Rounds over all that is due, by outcome', ['outcome']);
    this.series = metrics.counter(
      'oes_sentinel_series_total',
      'Series of projects that were looked at in their buckets',
    );
    this.evaluated = metrics.counter('oes_sentinel_buckets_total', 'Buckets of projects that were judged, by outcome', [
      'outcome',
    ]);
    this.delay = metrics.histogram(
      'oes_sentinel_delay_seconds',
      'From the end of a bucket until it is judged',
      [],
      [150, 180, 240, 300, 600, 1_800, 3_600, 86_400],
    );
  }

  /** Evaluates all buckets that are due. @returns how many buckets of projects were evaluated */
  async run(signal?: AbortSignal): Promise<number> {
    try {
      const evaluated = await this.round(signal);
      this.rounds.inc({ outcome: signal?.aborted === true ? 'stopped' : 'done' });
      return evaluated;
    } catch (error) {
      this.rounds.inc({ outcome: 'failed' });
      throw error;
    }
  }

  private async round(signal?: AbortSignal): Promise<number> {
    await this.projects.follow();
    let evaluated = 0;
    while (signal?.aborted !== true) {
      const turn = await this.next();
      if (turn === 'none') break;
      if (turn === 'judged') evaluated++;
    }
    return evaluated;
  }

  countDue(): Promise<number> {
    return this.projects.countDue();
  }

  /** Evaluates a due bucket of one project, or learns a piece of the baseline that the bucket needs. */
  private async next(): Promise<Turn> {
    let claimed: ProjectId | undefined;
    let series = 0;
    try {
      const turn = await this.database.transaction<Turn>(async (tx) => {
        const project = await this.projects.claim(tx);
        if (project === null) return 'none';
        claimed = project.projectId;
        await this.database.limit(tx, STATEMENT_MS);
        const known = await this.profiler.of(project, tx);
        if (known === null) {
          await this.projects.letOthers(project, tx);
          return 'learned';
        }
        series = await this.detectInBucket(project, known, tx);
        await this.projects.advance(project, tx);
        this.delay.observe((project.now.getTime() - project.due.getTime() - BUCKET_MS) / MS);
        return 'judged';
      });
      if (turn === 'judged') {
        this.evaluated.inc({ outcome: 'judged' });
        this.series.inc(series);
      }
      return turn;
    } catch (error) {
      if (claimed === undefined) throw error;
      this.logger.warn(`judging project ${claimed} failed: ${String(error)}`);
      this.evaluated.inc({ outcome: 'failed' });
      const tookTooLong = isCanceled(error);
      if (tookTooLong) await this.profiler.failed(claimed);
      await this.projects.postpone(claimed, tookTooLong ? REST.tooLong : REST.failed);
      return 'failed';
    }
  }

  /** @returns how many series were evaluated */
  private async detectInBucket(project: WatchedProject, known: KnownProject, tx: Db): Promise<number> {
    const bucket = bucketOf(project.due.getTime());
    const feedback = await this.feedback.of(project.projectId, startOf(bucket + 1), tx);
    const activeFindings = await this.lifecycle.open(project, tx);
    const evaluated = await this.detector.detect(project, known, feedback, activeFindings, tx);
    await this.lifecycle.write(project, activeFindings, evaluated, mutedBy(feedback), tx);
    await this.newTypes(project, known, bucket, tx);
    return evaluated.series.length;
  }

  private async newTypes(
    project: WatchedProject,
    { profiles, oldestEventAt }: KnownProject,
    bucket: Bucket,
    tx: Db,
  ): Promise<void> {
    if (oldestEventAt === null || startOf(bucket - DAY_BUCKETS) < oldestEventAt) return;
    const left = NEW_TYPES_A_DAY - (await this.lifecycle.newTypesOf(project, bucket, tx));
    if (left <= 0) return;
    const known = profiles.flatMap(({ series, profile }) =>
      // An event type may be listed although it had no event before the bucket. Such a type is not known yet.
      series.type === 'event' && profile.total > 0 ? (series.value ?? []) : [],
    );
    const period = { from: startOf(bucket), to: startOf(bucket + 1) };
    const types = await this.history.newTypes(project.projectId, period, known, left, tx);
    await this.lifecycle.writeNewTypes(project, types, bucket, tx);
  }
}

function mutedBy(feedback: readonly Feedback[]): (subject: FindingSubject) => boolean {
  const muted = new Set(feedback.filter(({ isMuted }) => isMuted).map(subjectKey));
  return (subject) => muted.has(subjectKey(subject));
}
