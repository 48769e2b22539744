import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope, ProjectScope } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { brokenRule } from '../../../../platform/http/validation/index.js';
import { PatternTrialsService } from '../../../events/conditions/index.js';
import { newId } from '../../../../platform/ids/index.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { projectAct, ProjectAuthorization } from '../../../tenancy/projects/index.js';
import { SilenceHasExpired, SilenceNotFound, TooManySilences } from '../alerts.errors.js';
import { AlertEventsRepository } from '../events/alert-events.repository.js';
import {
  type CreateSilenceRequest,
  silenceResponse,
  type SilenceResponse,
  type SilencesQuery,
  type UpdateSilenceRequest,
} from './silences.dto.js';
import { type ReadSilence, SilencesRepository } from './silences.repository.js';

/** A project has at most this many pending and active silences. Each active silence is evaluated for every alert. */
const MOST_SILENCES = 100;
/** The maximum length of the list of silences, which has no pages. */
const MOST_LISTED = 1_000;
const LONGEST_AHEAD_MS = 366 * 86_400_000;

/** Manages silences. Suppressed notifications are evaluated again when silences change. */
@Injectable()
export class SilencesService {
  constructor(
    private readonly database: Database,
    private readonly silences: SilencesRepository,
    private readonly events: AlertEventsRepository,
    private readonly authorization: ProjectAuthorization,
    private readonly audit: AuditWriter,
    private readonly clock: Clock,
    private readonly patterns: PatternTrialsService,
  ) {}

  async list(scope: ProjectScope, { state }: SilencesQuery): Promise<SilenceResponse[]> {
    return (await this.silences.list(scope, state, MOST_LISTED)).map(silenceResponse);
  }

  async get(scope: ProjectScope, id: string): Promise<SilenceResponse> {
    return silenceResponse(await this.read(scope, id));
  }

  async create(scope: ProjectMemberScope, request: CreateSilenceRequest): Promise<SilenceResponse> {
    const { filter, starts_at: startsAt = null, ends_at: endsAt, reason = null } = request;
    this.checkTimes(startsAt, endsAt);
    await this.patterns.check(scope.projectId, filter, ['body', 'filter']);
    const id = newId();
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      if ((await this.silences.countUnexpired(scope, tx)) >= MOST_SILENCES) throw new TooManySilences();
      await this.silences.insert(scope, id, scope.userId, { filter, startsAt, endsAt, reason }, tx);
      return this.changed(scope, 'created', id, tx);
    });
  }

  async update(scope: ProjectMemberScope, id: string, request: UpdateSilenceRequest): Promise<SilenceResponse> {
    const { filter, starts_at: startsAt = null, ends_at: endsAt, reason } = request;
    if (endsAt !== undefined) this.checkTimes(null, endsAt);
    if (startsAt !== null) this.checkAhead('starts_at', startsAt);
    if (filter !== undefined) await this.patterns.check(scope.projectId, filter, ['body', 'filter']);
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const before = await this.read(scope, id, tx);
      if (before.state === 'expired') throw new SilenceHasExpired();
      const after = {
        filter: filter ?? before.filter,
        startsAt,
        endsAt: endsAt ?? before.endsAt,
        reason: reason === undefined ? before.reason : reason,
      };
      checkOrder(startsAt ?? before.startsAt, after.endsAt, startsAt === null ? 'ends_at' : 'starts_at');
      await this.silences.update(scope, id, after, tx);
      return this.changed(scope, 'updated', id, tx);
    });
  }

  /** Ends a silence, which stays as a record. Nothing is recorded when the silence has expired already. */
  async end(scope: ProjectMemberScope, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      if ((await this.read(scope, id, tx)).state === 'expired') return;
      await this.silences.end(scope, id, tx);
      await this.changed(scope, 'ended', id, tx);
    });
  }

  private async changed(scope: ProjectMemberScope, act: string, id: string, tx: Db): Promise<SilenceResponse> {
    await this.events.reconsider(scope, tx);
    const silence = await this.read(scope, id, tx);
    const detail = { starts_at: silence.startsAt.toISOString(), ends_at: silence.endsAt.toISOString() };
    await this.audit.record(projectAct(scope, `alert_silence.${act}`, detail, { type: 'alert_silence', id }), tx);
    return silenceResponse(silence);
  }

  private async read(scope: ProjectScope, id: string, tx?: Db): Promise<ReadSilence> {
    const silence = await this.silences.find(scope, id, tx);
    if (silence === null) throw new SilenceNotFound();
    return silence;
  }

  private checkTimes(startsAt: Date | null, endsAt: Date): void {
    if (endsAt <= this.clock.now()) {
      throw brokenRule(['body', 'ends_at'], 'ends_at must lie in the future', endsAt.toISOString());
    }
    this.checkAhead('ends_at', endsAt);
    if (startsAt !== null) checkOrder(startsAt, endsAt, 'ends_at');
  }

  /** Refuses times too far ahead: people forget a long silence, and then miss the alerts that it suppresses. */
  private checkAhead(name: 'starts_at' | 'ends_at', at: Date): void {
    if (at.getTime() - this.clock.now().getTime() <= LONGEST_AHEAD_MS) return;
    throw brokenRule(['body', name], `${name} lies too far ahead`, at.toISOString());
  }
}

function checkOrder(startsAt: Date, endsAt: Date, blamed: 'starts_at' | 'ends_at'): void {
  if (startsAt < endsAt) return;
  const input = blamed === 'ends_at' ? endsAt : startsAt;
  throw brokenRule(['body', blamed], 'ends_at must lie after starts_at', input.toISOString());
}
