import type { ESLint, Rule } from 'eslint';

export declare const TENANT_TABLES: Readonly<Record<string, readonly string[]>>;
export declare const PARENTS: Readonly<Record<string, string>>;
export declare const NOBODYS_TABLES: readonly string[];

type RuleName =
  | 'explained-disable'
  | 'injected-value-import'
  | 'repositories-stay-inside'
  | 'sql-in-repositories'
  | 'tenant-in-sql'
  | 'tenant-in-where';

export declare const local: ESLint.Plugin & { readonly rules: Readonly<Record<RuleName, Rule.RuleModule>> };
