import type { Attacker } from './attacker.mjs';

export type Size = Readonly<Record<string, number>>;

export interface WorstCase {
  readonly name: string;
  prepare(attacker: Attacker, size: Size): unknown;
  readonly attacks: Readonly<Record<string, (attacker: Attacker, size: Size, prepared: unknown) => Promise<unknown>>>;
  release?(prepared: unknown): void;
}

export const CASES: readonly WorstCase[];
export const SIZES: Readonly<Record<'bench' | 'test', Size>>;
