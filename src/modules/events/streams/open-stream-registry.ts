import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { MembershipReader, type ProjectMemberScope } from '../../access/index.js';
import type { EventStream } from '../../../platform/http/event-stream.js';
import { MembershipNotifier } from '../../tenancy/organizations/index.js';
import { ProjectChangesNotifier } from '../../tenancy/projects/index.js';
import { domainError } from '../../../platform/http/domain-error.js';
import { SessionLivenessCache } from '../../identity/sessions/index.js';

/**
 * Maximum number of open streams of one user, and of one project, in this process. A request for one more is refused
 * with 429.
 */
const MOST_OF_A_PERSON = 250;
const MOST_OF_A_PROJECT = 1_000;
/** Interval at which the access of all readers is checked, since notifications may get lost and sessions expire. */
const CHECK_EVERY_MS = 60_000;
const RETRY_MS = 1_000;
/**
 * While the database is unavailable, access is checked again every `LOOK_AGAIN_MS`. A stream stays open for
 * `MOST_UNCERTAIN_MS`, unless a notification said that its access may have changed.
 */
const LOOK_AGAIN_MS = 5_000;
const MOST_UNCERTAIN_MS = 60_000;

interface OpenStream {
  readonly scope: ProjectMemberScope;
  readonly stream: EventStream;
}

export class TooManyStreams extends domainError(429, 'Too many open streams') {
  override readonly headers = { 'Retry-After': '10' };
}

/**
 * Holds the open streams with their readers. A stream ends at once when its reader loses access to the project, or the
 * session.
 */
@Injectable()
export class OpenStreamRegistry implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('streams');
  private readonly open = new Set<OpenStream>();
  private readonly releases: (() => void)[] = [];

  constructor(
    private readonly members: MembershipReader,
    private readonly sessions: SessionLivenessCache,
    private readonly memberships: MembershipNotifier,
    private readonly projects: ProjectChangesNotifier,
  ) {}

  get count(): number {
    return this.open.size;
  }

  onModuleInit(): void {
    const sweep = setInterval(() => void this.checkAll(() => true, MOST_UNCERTAIN_MS), CHECK_EVERY_MS);
    sweep.unref();
    this.releases.push(
      () => clearInterval(sweep),
      this.memberships.subscribe(({ userId, organizationId }) =>
        this.checkAll(({ scope }) => scope.userId === userId && scope.organizationId === organizationId),
      ),
      // Undefined means that notifications may have been missed, including those about members and sessions.
      this.projects.onChange(
        (projectId) =>
          void (projectId === undefined
            ? this.checkAll(() => true, MOST_UNCERTAIN_MS)
            : this.checkAll(({ scope }) => scope.projectId === projectId)),
      ),
      this.sessions.onFactorsChanged((userId) => void this.checkAll(({ scope }) => scope.userId === userId)),
      this.sessions.onRevoked((ids) => {
        for (const { scope, stream } of this.open) if (ids.includes(scope.sessionId)) stream.end();
      }),
    );
  }

  onModuleDestroy(): void {
    for (const release of this.releases) release();
    for (const { stream } of this.open) stream.end();
  }

  /** @throws TooManyStreams */
  admit(scope: ProjectMemberScope): void {
    let [ofPerson, ofProject] = [0, 0];
    for (const { scope: other } of this.open) {
      if (other.userId === scope.userId) ofPerson += 1;
      if (other.projectId === scope.projectId) ofProject += 1;
    }
    if (ofPerson >= MOST_OF_A_PERSON || ofProject >= MOST_OF_A_PROJECT) throw new TooManyStreams();
  }

  /** Checks the access of an admitted stream until it is closed. */
  add(scope: ProjectMemberScope, stream: EventStream): void {
    const entry = { scope, stream };
    this.open.add(entry);
    stream.whenClosed(() => this.open.delete(entry));
    // Access may have been lost between the guard's check and this point. A notification in that time did not find the
    // stream.
    void this.check([entry]);
  }

  private async checkAll(concerned: (entry: OpenStream) => boolean, timeoutMs = 0): Promise<void> {
    const endAt = performance.now() + timeoutMs;
    const together = new Map<string, OpenStream[]>();
    for (const entry of this.open) {
      if (!concerned(entry)) continue;
      const { userId, projectId, sessionId } = entry.scope;
      const key = `${userId} ${projectId} ${sessionId}`;
      together.set(key, [...(together.get(key) ?? []), entry]);
    }
    for (const entries of together.values()) await this.check(entries, endAt);
  }

  /**
   * Checks the access of streams of one user, session and project.
   * @param endAt the time until which the streams stay open while access cannot be checked; then they end, and clients
   * reconnect
   */
  private async check(entries: readonly OpenStream[], endAt = performance.now()): Promise<void> {
    const [first] = entries;
    if (first === undefined) return;
    const mayRead = await this.mayRead(first.scope)
      .catch(() => later(RETRY_MS).then(() => this.mayRead(first.scope)))
      .catch((error: unknown) => {
        if (performance.now() < endAt) return null;
        this.logger.warn(`a stream was ended, since nobody could tell who may read it: ${String(error)}`);
        return false;
      });
    if (mayRead === null) {
      const again = (): void =>
        void this.check(
          entries.filter((entry) => this.open.has(entry)),
          endAt,
        );
      setTimeout(again, LOOK_AGAIN_MS).unref();
    } else if (!mayRead) for (const { stream } of entries) stream.end();
  }

  private async mayRead({ userId, sessionId, projectId }: ProjectMemberScope): Promise<boolean> {
    if (!(await this.sessions.isComplete(sessionId, userId))) return false;
    const membership = await this.members.ofProject(userId, projectId);
    return membership !== null && membership.role !== null;
  }
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
