import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { FunnelsReader, type AggregationQuery } from '../../event-store/index.js';
import { ratioOf, windowHead } from '../../time-ranges/index.js';
import { Questions } from '../queries/questions.js';
import type { FunnelQuery, FunnelResponse, FunnelStep } from './funnel.dto.js';
import { FunnelLimits, TooManyFunnelValues } from './funnel-limits.js';
import { FunnelMachine, type Reached } from './funnel-machine.js';

/** Reports how many values reach each step of a funnel, and how long they take. */
@Injectable()
export class FunnelService {
  constructor(
    private readonly questions: Questions,
    private readonly funnels: FunnelsReader,
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

  private follow(question: AggregationQuery, query: FunnelQuery, signal: AbortSignal): Promise<Reached> {
    const types = [...new Set(query.step)];
    const machine = (): FunnelMachine =>
      new FunnelMachine(
        query.step.map((type) => types.indexOf(type)),
        query.within_seconds * 1_000,
        this.limits.values,
        () => new TooManyFunnelValues(),
      );
    return this.funnels.follow(question, { types, by: query.by }, machine, signal);
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
