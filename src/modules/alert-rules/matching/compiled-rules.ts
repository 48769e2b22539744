import { compileFilter, eventTypesOf, type Matcher, usesProperties } from '../../alert-conditions/index.js';
import { groupReader, type GroupValue } from '../machine/series.js';
import type { LiveRule } from '../rules/live-rules.js';
import { subjectOf } from './event-row.js';

export interface CompiledRule {
  readonly matches: Matcher;
  readonly groupOf: (subject: ReturnType<typeof subjectOf>) => GroupValue[];
  /** The event types that can match; null: any. */
  readonly types: readonly string[] | null;
  readonly needsProperties: boolean;
}

const MAX_KEPT = 2_000;

/** Compiled filters of rules as long as their definition stays. */
export class CompiledRules {
  private readonly kept = new Map<string, { revision: number; compiled: CompiledRule }>();

  of(rule: LiveRule): CompiledRule {
    const known = this.kept.get(rule.id);
    if (known?.revision === rule.revision) return known.compiled;
    if (this.kept.size >= MAX_KEPT) this.kept.clear();
    const compiled = compileRule(rule);
    this.kept.set(rule.id, { revision: rule.revision, compiled });
    return compiled;
  }
}

export function compileRule({ filter, groupBy }: Pick<LiveRule, 'filter' | 'groupBy'>): CompiledRule {
  return {
    matches: compileFilter(filter),
    groupOf: groupReader(groupBy),
    types: eventTypesOf(filter),
    needsProperties: usesProperties(filter) || groupBy.some((field) => field.startsWith('properties.')),
  };
}
