import { LRUCache } from 'lru-cache';
import { EventLoopYield } from '../../../../platform/concurrency/index.js';
import {
  compileFilter,
  eventTypesOf,
  fieldsOf,
  type FilterSubject,
  type Matcher,
} from '../../../events/conditions/index.js';
import type { GroupValue } from '../../../events/event-store/index.js';
import { groupReader } from '../machine/series.js';
import type { LiveRule } from '../live-rules.repository.js';

export interface CompiledRule {
  readonly matches: Matcher;
  readonly groupOf: (subject: FilterSubject) => GroupValue[];
  /** The event types that can match; null when any type can. */
  readonly types: readonly string[] | null;
  /** The fields of an event that the rule reads. */
  readonly fields: readonly string[];
}

const MAX_KEPT = 2_000;

/** Caches the compiled filters of rules until their definitions change. */
export class CompiledRules {
  private readonly kept = new LRUCache<string, { readonly revision: number; readonly compiled: CompiledRule }>({
    max: MAX_KEPT,
  });

  /** Compiles the rules that are not cached in their current revision, and yields to the event loop in between. */
  async learn(rules: readonly LiveRule[]): Promise<void> {
    const yielding = new EventLoopYield();
    for (const rule of rules) {
      this.of(rule);
      await yielding.ifDue();
    }
  }

  of(rule: LiveRule): CompiledRule {
    const known = this.kept.get(rule.id);
    if (known?.revision === rule.revision) return known.compiled;
    const compiled = compileRule(rule);
    this.kept.set(rule.id, { revision: rule.revision, compiled });
    return compiled;
  }

  /** Returns the event types that at least one rule can match (null: any type), and the fields that the rules read. */
  wanted(rules: readonly LiveRule[]): { types: readonly string[] | null; fields: readonly string[] } {
    const compiled = rules.map((rule) => this.of(rule));
    const types = compiled.map((rule) => rule.types);
    return {
      types: types.every((one) => one !== null) ? [...new Set(types.flat())] : null,
      fields: [...new Set(compiled.flatMap(({ fields }) => fields))],
    };
  }
}

export function compileRule({
  projectId,
  filter,
  groupBy,
}: Pick<LiveRule, 'projectId' | 'filter' | 'groupBy'>): CompiledRule {
  return {
    matches: compileFilter(filter, projectId),
    groupOf: groupReader(groupBy),
    types: eventTypesOf(filter),
    fields: [...new Set([...fieldsOf(filter), ...groupBy])],
  };
}
