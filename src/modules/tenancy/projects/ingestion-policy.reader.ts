import { Injectable, type OnModuleInit } from '@nestjs/common';
import { asProjectId, type ProjectId } from '../../access/index.js';
import { LookupCache } from '../../../platform/caching/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { ProjectChangesNotifier } from './project-changes.notifier.js';
import { ProjectSettingsRepository } from './settings/project-settings.repository.js';
import { Redaction } from './settings/redaction.js';

/** What holds for every event of a project, whoever sends it. */
export interface IngestionPolicy {
  readonly archived: boolean;
  /** Masks the values that the project's settings name. */
  readonly redaction: Redaction;
}

/** How long a look-up is trusted when a notice gets lost: an archived project refuses within 5 seconds everywhere. */
const TRUST_MS = 4_000;
const MAX_ENTRIES = 20_000;
/** A project deleted meanwhile was archived before. */
const OF_A_MISSING_PROJECT: IngestionPolicy = { archived: true, redaction: new Redaction(['*']) };

/** Remembers the policy of projects that take events; shared by parallel requests, dropped when a project changes. */
@Injectable()
export class IngestionPolicyReader implements OnModuleInit {
  private readonly lookups: LookupCache<ProjectId, IngestionPolicy>;

  constructor(
    private readonly settings: ProjectSettingsRepository,
    private readonly changes: ProjectChangesNotifier,
    clock: Clock,
  ) {
    this.lookups = new LookupCache({
      trustMs: TRUST_MS,
      most: MAX_ENTRIES,
      clock,
      look: (projectId) => this.look(projectId),
    });
  }

  onModuleInit(): void {
    this.changes.onChange((projectId) => {
      if (projectId === undefined) this.lookups.forgetAll();
      else this.lookups.forget(asProjectId(projectId));
    });
  }

  /** At once where it was looked up a moment ago: every event asks. */
  of({ projectId }: { readonly projectId: ProjectId }): IngestionPolicy | Promise<IngestionPolicy> {
    return this.lookups.of(projectId);
  }

  /** What is masked in whatever concerns an event of the project, archived or not. */
  async redactionOf({ projectId }: { readonly projectId: ProjectId }): Promise<Redaction> {
    return (await this.lookups.of(projectId)).redaction;
  }

  private async look(projectId: ProjectId): Promise<IngestionPolicy> {
    const stored = await this.settings.policyOf(projectId);
    if (stored === null) return OF_A_MISSING_PROJECT;
    return { archived: stored.archived, redaction: new Redaction(stored.redactedProperties) };
  }
}
