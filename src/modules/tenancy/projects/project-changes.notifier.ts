import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { asProjectId, type ProjectId } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { NotificationBus } from '../../../platform/database/notification-bus.js';

const CHANNEL = 'project_changed';

/**
 * Called with the id of a changed project. It is undefined when notifications may have been lost, so that any project
 * may have changed.
 */
export type ProjectChangeHandler = (projectId: ProjectId | undefined) => void;

/**
 * Notifies every instance when a project is archived, restored or deleted, or when its settings change. Caches then
 * drop their entry for this project.
 */
@Injectable()
export class ProjectChangesNotifier implements OnModuleInit, OnModuleDestroy {
  private readonly handlers = new Set<ProjectChangeHandler>();
  private readonly releases: (() => void)[] = [];

  constructor(private readonly notifications: NotificationBus) {}

  onModuleInit(): void {
    this.releases.push(
      this.notifications.subscribe(CHANNEL, (projectId) => this.apply(asProjectId(projectId))),
      this.notifications.onReconnect(() => this.apply(undefined)),
    );
  }

  onModuleDestroy(): void {
    for (const release of this.releases) release();
  }

  onChange(handler: ProjectChangeHandler): () => void {
    this.handlers.add(handler);
    return () => this.handlers.delete(handler);
  }

  /** Notifies every instance when the transaction that changes the project commits. */
  async announce(projectId: ProjectId, tx: Db): Promise<void> {
    await this.notifications.publish(CHANNEL, projectId, tx);
  }

  /** Notifies this instance at once. Call it after the commit and before the answer. */
  apply(projectId: ProjectId | undefined): void {
    for (const handler of this.handlers) handler(projectId);
  }
}
