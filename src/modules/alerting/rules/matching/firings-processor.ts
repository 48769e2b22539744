import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import type { Db, Session } from '../../../../platform/database/database.js';
import { AlertRaiser } from '../../alerts/index.js';
import { isDataFault, isTakenTooLong } from '../../../../platform/database/database-faults.js';
import { RuleMetrics } from '../outcomes/rule-metrics.js';
import { type LiveRule, LiveRulesRepository } from '../live-rules.repository.js';
import { BatchSizes } from './batch-sizes.js';
import { AcceptedEventsReader, type ToldEvent } from '../../../events/event-store/index.js';
import { type Firing, FiringsRepository, type WaitingFiring } from './firings.repository.js';
import { matchFiring, toldOf } from './match-firing.js';
import { SetAsideService } from './set-aside.service.js';

/**
 * A transaction raises at most this many firings, or fewer in `LONGEST_MS`. One firing may notify a hundred receivers.
 */
const MOST_FIRINGS = 50;
const LONGEST_MS = 150;

/** Raises alerts for firings, in the order of their events. */
@Injectable()
export class FiringsProcessor {
  private readonly sizes = new BatchSizes(MOST_FIRINGS);

  constructor(
    private readonly rules: LiveRulesRepository,
    private readonly firings: FiringsRepository,
    private readonly events: AcceptedEventsReader,
    private readonly alerts: AlertRaiser,
    private readonly setAside: SetAsideService,
    private readonly metrics: RuleMetrics,
  ) {}

  rests(projectId: ProjectId): boolean {
    return this.sizes.rests(projectId, performance.now());
  }

  /**
   * Raises the first waiting firings, and removes them from the table, in one transaction of limited length.
   * @returns how many were processed; 1 also when the transaction took too long and fewer can be tried at once
   */
  async waiting(projectId: ProjectId, session: Session): Promise<number> {
    const began = performance.now();
    try {
      const count = await this.someOf(projectId, session);
      this.sizes.went(projectId, performance.now() - began);
      return count;
    } catch (error) {
      if (!isTakenTooLong(error)) throw error;
      if (this.sizes.tookTooLong(projectId, performance.now())) return 1;
      if (!this.sizes.isHopeless(projectId)) throw error;
      return session.transaction(async (tx) => {
        const [first] = await this.firings.first(projectId, 1, tx);
        if (first === undefined) return 0;
        await this.setAside.alert(projectId, first, 'took_too_long', error, tx);
        await this.firings.remove(projectId, [first.position], tx);
        return 1;
      });
    }
  }

  /** Raises firings in the caller's transaction. Firings from before a rule was deleted or restarted are ignored. */
  async raise(projectId: ProjectId, rules: readonly LiveRule[], firings: readonly Firing[], tx: Db): Promise<void> {
    const raising = await this.prepared(projectId, rules, firings, tx);
    for (const one of raising) await this.one(projectId, one, tx);
  }

  private async someOf(projectId: ProjectId, session: Session): Promise<number> {
    try {
      return await session.transaction((tx) => this.some(projectId, false, tx));
    } catch (error) {
      if (!isDataFault(error)) throw error;
      // The data of one firing is at fault. With a savepoint for each firing, the other firings succeed.
      return session.transaction((tx) => this.some(projectId, true, tx));
    }
  }

  private async some(projectId: ProjectId, isCareful: boolean, tx: Db): Promise<number> {
    const began = performance.now();
    const { rules } = await this.rules.ofEvents(projectId, tx);
    const waiting = await this.firings.first(projectId, this.sizes.of(projectId), tx);
    const raising = await this.prepared(projectId, rules, waiting, tx);
    const done: WaitingFiring[] = [];
    for (const [index, one] of raising.entries()) {
      if (index > 0 && performance.now() - began > LONGEST_MS) break;
      if (isCareful) await this.withCare(projectId, one, tx);
      else await this.one(projectId, one, tx);
      done.push(one.firing);
    }
    await this.firings.remove(
      projectId,
      done.map(({ position }) => position),
      tx,
    );
    return done.length;
  }

  private async prepared<F extends Firing>(
    projectId: ProjectId,
    rules: readonly LiveRule[],
    firings: readonly F[],
    tx: Db,
  ): Promise<Prepared<F>[]> {
    const events = firings.flatMap(({ eventId, eventAt, lastEventId, lastEventAt }) => [
      ...locatorOf(eventId, eventAt),
      ...(lastEventId === eventId ? [] : locatorOf(lastEventId, lastEventAt)),
    ]);
    const told = await this.events.told(projectId, events, tx);
    const eventOf = new Map(events.map(({ eventId }, index) => [eventId, told[index] ?? null]));
    const ruleOf = new Map(rules.map((rule) => [rule.id, rule]));
    return firings.map((firing) => {
      const rule = ruleOf.get(firing.ruleId);
      const isOfThisRule = rule !== undefined && firing.acceptedAt >= rule.watchedSince;
      const event = firing.eventId === null ? null : (eventOf.get(firing.eventId) ?? null);
      const last = firing.lastEventId === null ? null : (eventOf.get(firing.lastEventId) ?? null);
      return { firing, rule: isOfThisRule ? rule : null, event, last };
    });
  }

  private async withCare(projectId: ProjectId, one: Prepared<WaitingFiring>, tx: Db): Promise<void> {
    const fault = await this.firings.attempt(() => this.one(projectId, one, tx), isDataFault, tx);
    if (fault !== null) await this.setAside.alert(projectId, one.firing, 'failed', fault.error, tx);
  }

  private async one(projectId: ProjectId, { firing, rule, event, last }: Prepared<Firing>, tx: Db): Promise<void> {
    if (rule === null) return;
    const { fingerprint, groupValues, occurrences, lastEventId } = firing;
    if (firing.kind === 'recover') return this.alerts.recover({ projectId, ruleId: rule.id, fingerprint }, tx);
    // No alert is raised for an event that was deleted, with its whole month, after it matched.
    if (event === null) return;
    const fired = matchFiring(rule, { fingerprint, groupValues }, event, occurrences);
    const newest = last === null || last.id === event.id ? {} : { newest: toldOf(rule, last) };
    await this.alerts.fire({ ...fired, ...newest, ...(lastEventId !== null && { lastEventId }) }, tx);
    this.metrics.occurred(occurrences);
  }
}

interface Prepared<F extends Firing> {
  readonly firing: F;
  /** Null when the rule was disabled, deleted or restarted after the firing. */
  readonly rule: LiveRule | null;
  readonly event: ToldEvent | null;
  /** The last event of the firing; null also when the event has been deleted since. */
  readonly last: ToldEvent | null;
}

function locatorOf(eventId: string | null, eventAt: string | null): { eventId: string; eventAt: string }[] {
  return eventId === null || eventAt === null ? [] : [{ eventId, eventAt }];
}
