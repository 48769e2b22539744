import { Injectable, type OnModuleInit } from '@nestjs/common';
import { asProjectId, type ProjectId } from '../../access/index.js';
import { LookupCache } from '../../../platform/caching/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { ProjectChangesNotifier } from './project-changes.notifier.js';
import { ProjectSettingsRepository } from './settings/project-settings.repository.js';
import { Redaction } from './settings/redaction.js';

/** The settings of a project that apply to every event from every sender. */
export interface IngestionPolicy {
  readonly archived: boolean;
  /** Masks the values at the paths that the project's settings list. */
  readonly redaction: Redaction;
}

/**
 * How long a cached policy is valid if the notification of a change is lost. Every instance therefore refuses events
 * for an archived project within 5 seconds.
 */
const TRUST_MS = 4_000;
const MAX_ENTRIES = 20_000;
/** A project that no longer exists counts as archived. */
const OF_A_MISSING_PROJECT: IngestionPolicy = { archived: true, redaction: new Redaction(['*']) };

/**
 * Caches the policies of projects that receive events. Parallel requests share a look-up. When a project changes, its
 * cached policy is dropped.
 */
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

  /** Returns the policy without a promise when it is cached, because every event needs it. */
  of({ projectId }: { readonly projectId: ProjectId }): IngestionPolicy | Promise<IngestionPolicy> {
    return this.lookups.of(projectId);
  }

  /**
   * Returns the redaction of the project, for data about its events. It applies whether or not the project is archived.
   */
  async redactionOf({ projectId }: { readonly projectId: ProjectId }): Promise<Redaction> {
    return (await this.lookups.of(projectId)).redaction;
  }

  private async look(projectId: ProjectId): Promise<IngestionPolicy> {
    const stored = await this.settings.policyOf(projectId);
    if (stored === null) return OF_A_MISSING_PROJECT;
    return { archived: stored.archived, redaction: new Redaction(stored.redactedProperties) };
  }
}
