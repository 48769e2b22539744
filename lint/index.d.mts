import type { ESLint, Rule } from 'eslint';

export declare const EVENT_COUNTERS: readonly string[];
export declare const EVENT_ROWS: readonly string[];
export declare const TENANT_TABLES: Readonly<Record<string, readonly string[]>>;
export declare const PARENTS: Readonly<Record<string, string>>;
export declare const NOBODYS_TABLES: readonly string[];

type RuleName =
  | 'event-rows-in-store'
  | 'explained-disable'
  | 'injected-value-import'
  | 'repositories-stay-inside'
  | 'sql-in-repositories'
  | 'tenant-in-sql'
  | 'tenant-in-where';

export declare const local: ESLint.Plugin & { readonly rules: Readonly<Record<RuleName, Rule.RuleModule>> };
