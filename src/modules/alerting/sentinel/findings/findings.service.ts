import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { ProjectMemberScope, ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { providerOf } from '../../../../platform/discovery/provider-of.js';
import { brokenRule } from '../../../../platform/http/validation/index.js';
import { Metrics } from '../../../../platform/telemetry/index.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { projectAct, ProjectAuthorization } from '../../../tenancy/projects/index.js';
import { FeedbackRepository } from './feedback.repository.js';
import type { Finding } from './finding.entity.js';
import { faultOf, type FindingAct } from './finding-life.js';
import { FindingPointsRepository } from './finding-points.repository.js';
import { FindingWatcher } from './finding-watcher.js';
import {
  type DismissFindingRequest,
  findingResponse,
  type FindingResponse,
  type FindingsQuery,
  type FindingsResponse,
  findingWithEvidence,
  type FindingWithEvidenceResponse,
} from './findings.dto.js';
import { FAULT_ERRORS, FindingNotFound } from './findings.errors.js';
import { FindingsRepository } from './findings.repository.js';

/** Shows findings to people, and applies the actions of people on findings. */
@Injectable()
export class FindingsService {
  private readonly dismissed;

  constructor(
    private readonly database: Database,
    private readonly findings: FindingsRepository,
    private readonly points: FindingPointsRepository,
    private readonly feedback: FeedbackRepository,
    private readonly authorization: ProjectAuthorization,
    private readonly audit: AuditWriter,
    private readonly discovery: DiscoveryService,
    metrics: Metrics,
  ) {
    this.dismissed = metrics.counter('oes_sentinel_dismissals_total', 'Findings that people dismissed, by reason', [
      'reason',
    ]);
  }

  async list(scope: ProjectScope, query: FindingsQuery): Promise<FindingsResponse> {
    const { status, kind, severity, series_value: seriesValue, from_ts: from, to_ts: to, limit, offset } = query;
    if (from !== undefined && to !== undefined && from > to) {
      throw brokenRule(['query', 'to_ts'], 'to_ts must not be before from_ts', to.toISOString());
    }
    const filter = { status, kind, severity, seriesValue, from, to };
    const { items, total } = await this.findings.list(scope, filter, { limit, offset });
    return { items: items.map(findingResponse), total, limit, offset };
  }

  async get(scope: ProjectScope, id: string): Promise<FindingWithEvidenceResponse> {
    return this.database.snapshot(async (tx) => {
      const finding = await this.findings.find(scope, id, tx);
      if (finding === null) throw new FindingNotFound();
      return findingWithEvidence(finding, await this.points.of(scope, finding, tx));
    });
  }

  acknowledge(scope: ProjectMemberScope, id: string, note: string | null): Promise<FindingResponse> {
    return this.act(scope, id, 'acknowledge', async (finding, tx) => {
      await this.findings.acknowledge(finding, scope.userId, tx);
      await this.record(scope, 'finding.acknowledged', finding, { note }, tx);
    });
  }

  /** Dismisses a finding and mutes its kind and series. Rules recover, unless the finding was resolved before. */
  async dismiss(scope: ProjectMemberScope, id: string, request: DismissFindingRequest): Promise<FindingResponse> {
    const { reason, note = null, mute_hours: muteHours } = request;
    const answer = await this.act(scope, id, 'dismiss', async (finding, tx) => {
      await this.findings.dismiss(finding, { userId: scope.userId, reason, note }, tx);
      const { kind, seriesType: type, seriesValue: value, metric } = finding;
      await this.feedback.add(
        finding.projectId,
        { kind, series: { type, value }, metric },
        { muteHours, raises: reason !== 'expected' },
        tx,
      );
      if (finding.status !== 'resolved') {
        await providerOf(this.discovery, FindingWatcher)?.changed(finding.projectId, [{ move: 'ended', finding }], tx);
      }
      await this.record(scope, 'finding.dismissed', finding, { reason, note, mute_hours: muteHours }, tx);
    });
    this.dismissed.inc({ reason });
    return answer;
  }

  private act(
    scope: ProjectMemberScope,
    id: string,
    act: FindingAct,
    work: (finding: Finding, tx: Db) => Promise<void>,
  ): Promise<FindingResponse> {
    return this.database.transaction(async (tx) => {
      await this.authorization.shareAndAuthorize(scope, tx);
      const finding = await this.findings.lock(scope, id, tx);
      if (finding === null) throw new FindingNotFound();
      const fault = faultOf(finding.status, act);
      if (fault !== null) throw new FAULT_ERRORS[fault]();
      await work(finding, tx);
      const after = await this.findings.find(scope, id, tx);
      if (after === null) throw new FindingNotFound();
      return findingResponse(after);
    });
  }

  private record(
    scope: ProjectMemberScope,
    action: string,
    { id, kind }: Finding,
    detail: Readonly<Record<string, unknown>>,
    tx: Db,
  ): Promise<void> {
    return this.audit.record(projectAct(scope, action, { kind, ...detail }, { type: 'finding', id }), tx);
  }
}
