import { Injectable } from '@nestjs/common';
import { type Issue, ValidationError } from '../../../platform/http/fields/index.js';
import type { FilterNode } from './filter.js';
import { patternsOf } from './filter-analysis.js';
import { PatternTrialsRepository } from './pattern-trials.repository.js';

const REASONS = {
  refused: 'PostgreSQL refuses it as too complex',
  slow: 'PostgreSQL takes too long for it',
  different: 'PostgreSQL reads it in another way',
} as const;

/**
 * Tries patterns in PostgreSQL before they are stored: windows and back-tests are read there. What it refuses, takes long
 * for, or answers otherwise than our own machine is no pattern.
 */
@Injectable()
export class PatternTrialsService {
  constructor(private readonly repository: PatternTrialsRepository) {}

  /**
   * @param at where the filter stands in the request
   * @throws ValidationError at the first pattern that does not pass
   * @throws TooManyPatternTrials when others try theirs for too long
   */
  async check(projectId: string, filter: FilterNode, at: Issue['loc']): Promise<void> {
    const patterns = patternsOf(filter);
    if (patterns.length === 0) return;
    const sources = [...new Set(patterns.map(({ source }) => source))];
    const failure = await this.repository.firstFailing(projectId, sources);
    const failing = patterns.find(({ source }) => source === failure?.source);
    if (failure === null || failing === undefined) return;
    throw new ValidationError([
      {
        type: 'value_error',
        loc: [...at, ...failing.place],
        msg: `Value error, the pattern cannot be used: ${REASONS[failure.why]}`,
        input: failing.source,
        ctx: { error: {} },
      },
    ]);
  }
}
