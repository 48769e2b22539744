import { Injectable } from '@nestjs/common';
import { type Issue, ValidationError } from '../../../platform/http/validation/index.js';
import type { FilterNode } from './filter.js';
import { patternsOf } from './filter-analysis.js';
import { PatternTrialsRepository } from './pattern-trials.repository.js';

const REASONS = {
  refused: 'PostgreSQL refuses it as too complex',
  slow: 'PostgreSQL takes too long for it',
  different: 'PostgreSQL reads it in another way',
} as const;

/**
 * Tries patterns in PostgreSQL before they are stored, because windows and back-tests run them there. A pattern is
 * refused when PostgreSQL refuses it, takes too long for it, or matches other texts than {@link TextPattern}.
 */
@Injectable()
export class PatternTrialsService {
  constructor(private readonly repository: PatternTrialsRepository) {}

  /**
   * @param at the location of the filter in the request
   * @throws ValidationError at the first pattern that fails
   * @throws TooManyPatternTrials when too many requests try patterns
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
