import { Injectable } from '@nestjs/common';
import type { Db } from '../../../platform/database/database.js';
import type { NoticeTargets } from '../../alert-destinations/index.js';
import type { GroupValue } from '../machine/series.js';
import type { Severity } from '../rules/alert-rule.entity.js';

export interface RuleFiring {
  readonly projectId: string;
  readonly rule: {
    readonly id: string;
    readonly name: string;
    readonly severity: Severity;
    readonly cooldownSeconds: number;
    readonly targets: NoticeTargets;
  };
  readonly fingerprint: string;
  readonly groupValues: Readonly<Record<string, GroupValue>>;
  /** The last event that matched; null for rules on windows. */
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly source: string;
    readonly timestamp: Date;
  } | null;
  readonly message: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly occurrences: number;
  /** The rule has fired before and still does: only begins an alert event when that one was resolved meanwhile. */
  readonly continues: boolean;
}

@Injectable()
export class RuleAlerts {
  readonly fired: RuleFiring[] = [];
  async fire(firing: RuleFiring, _tx: Db): Promise<void> {
    this.fired.push(firing);
  }
  async recover(_series: { projectId: string; ruleId: string; fingerprint: string }, _tx: Db): Promise<void> {}
  async unresolved(_ruleIds: readonly string[], _db?: Db): Promise<ReadonlySet<string>> {
    return new Set();
  }
}
