import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { EventLoopYield } from '../../../../platform/concurrency/index.js';
import { CopyCannotTell } from '../../event-store/index.js';
import { ratioOf, windowHead } from '../../asked-windows/index.js';
import { GatheredEventsReader } from '../asking/gathered-events.reader.js';
import { type Question, Questions } from '../asking/question.js';
import { type Snapshot, Snapshots } from '../asking/snapshots.js';
import type { FunnelQuery, FunnelResponse, FunnelStep } from './funnel.dto.js';
import { CopiedFunnelRepository } from './copied-funnel.repository.js';
import { type FollowedEvents, FunnelEventsRepository } from './funnel-events.repository.js';
import { FunnelLimits, TooManyFunnelValues } from './funnel-limits.js';
import { FunnelMachine, type Reached } from './funnel-machine.js';
import { PackReader, readWords } from './packed-events.js';

/** How far values come along the steps of a funnel (DECISIONS 14). */
@Injectable()
export class FunnelService {
  constructor(
    private readonly questions: Questions,
    private readonly snapshots: Snapshots,
    private readonly gathered: GatheredEventsReader,
    private readonly events: FunnelEventsRepository,
    private readonly copied: CopiedFunnelRepository,
    private readonly limits: FunnelLimits,
  ) {}

  /** @throws ValidationError, QueryTooLong, TooManyQueries, TooManyFunnelValues */
  async of(scope: ProjectScope, query: FunnelQuery, signal: AbortSignal): Promise<FunnelResponse> {
    const question = await this.questions.of(scope, query);
    const { by, within_seconds } = query;
    const found = await this.follow(question, query, signal);
    const last = found.reached.at(-1) ?? 0;
    return {
      ...windowHead(scope.projectId, question.projectName, question.window),
      by,
      within_seconds,
      steps: await stepsOf(query.step, found),
      conversion: ratioOf(last, found.reached[0] ?? 0),
      values: found.keys,
    };
  }

  private follow(question: Question, query: FunnelQuery, signal: AbortSignal): Promise<Reached> {
    const types = [...new Set(query.step)];
    const machine = (): FunnelMachine =>
      new FunnelMachine(
        query.step.map((type) => types.indexOf(type)),
        query.within_seconds * 1_000,
        this.limits.values,
        () => new TooManyFunnelValues(),
      );
    return this.snapshots.run(question, { isLong: true, signal }, async (snapshot) => {
      const followed = { types, by: query.by, from: question.window.from };
      const copied = await this.fromCopy(question, followed, machine(), snapshot, signal);
      this.copied.answered(copied === null ? 'postgres' : 'clickhouse');
      return copied ?? this.fromRows(question, followed, machine(), snapshot);
    });
  }

  /** Null: PostgreSQL has to answer alone. */
  private async fromCopy(
    question: Question,
    followed: FollowedEvents,
    machine: FunnelMachine,
    snapshot: Snapshot,
    signal: AbortSignal,
  ): Promise<Reached | null> {
    const follow = machine.push.bind(machine);
    const others = new EventLoopYield();
    try {
      const events = await this.copied.read(question, followed, snapshot, signal);
      if (events === null) return null;
      for await (const words of events) {
        await others.ifDue();
        readWords(words, follow);
      }
    } catch (error) {
      if (error instanceof CopyCannotTell) return null;
      throw error;
    }
    return machine.end(() => others.ifDue());
  }

  private async fromRows(
    question: Question,
    followed: FollowedEvents,
    machine: FunnelMachine,
    snapshot: Snapshot,
  ): Promise<Reached> {
    const follow = machine.push.bind(machine);
    const packs = new PackReader();
    const others = new EventLoopYield();
    const events = await this.gathered.events(question, question.window, snapshot, followed.types);
    for await (const some of this.events.read(events, followed, snapshot)) {
      for (const pack of some) {
        await others.ifDue();
        packs.read(pack, follow);
      }
    }
    return machine.end(() => others.ifDue());
  }
}

function stepsOf(names: readonly string[], { reached, durations }: Reached): Promise<FunnelStep[]> {
  const [began = 0] = reached;
  const stepOf = async (event: string, index: number): Promise<FunnelStep> => {
    const here = reached[index] ?? 0;
    const next = reached[index + 1];
    const ranks = index === 0 ? undefined : durations[index - 1];
    return {
      step: index + 1,
      event,
      reached: here,
      conversion: ratioOf(here, began),
      step_conversion: ratioOf(here, index === 0 ? began : (reached[index - 1] ?? 0)),
      dropped: next === undefined ? 0 : here - next,
      median_seconds: secondsOf(await ranks?.quantile(0.5)),
      p95_seconds: secondsOf(await ranks?.quantile(0.95)),
    };
  };
  return Promise.all(names.map(stepOf));
}

function secondsOf(ms: number | null | undefined): number | null {
  return ms === null || ms === undefined ? null : ms / 1_000;
}
