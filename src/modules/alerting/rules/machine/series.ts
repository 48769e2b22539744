import { sha256Hex } from '../../../../platform/crypto/index.js';
import { type FilterSubject, readExactField } from '../../../events/conditions/index.js';
import { type GroupValue, groupValueOf } from '../../../events/event-store/index.js';

/** One series of a rule: the events that share its group values. */
export interface Series {
  readonly fingerprint: string;
  readonly groupValues: Readonly<Record<string, GroupValue>>;
}

/** Returns the series of a rule for group values, which are in the order of `groupBy`. */
export function seriesOf(ruleId: string, groupBy: readonly string[], values: readonly GroupValue[]): Series {
  const groupValues = Object.fromEntries(groupBy.map((field, index) => [field, values[index] ?? null]));
  return { fingerprint: fingerprintOf(ruleId, Object.entries(groupValues)), groupValues };
}

/** Returns the series for the events of a rule that has more groups than are distinguished. */
export function overflowSeries(ruleId: string): Series {
  return { fingerprint: fingerprintOf(ruleId, 'overflow'), groupValues: { '…': 'other groups' } };
}

/** Returns the series of a rule for findings that have these values in common. */
export function findingSeries(ruleId: string, groupValues: Readonly<Record<string, GroupValue>>): Series {
  return { fingerprint: fingerprintOf(ruleId, ['finding', ...Object.entries(groupValues)]), groupValues };
}

/** Returns a function that reads the group values of an event, in the order of `groupBy`. */
export function groupReader(groupBy: readonly string[]): (subject: FilterSubject) => GroupValue[] {
  const readers = groupBy.map(readExactField);
  return (subject) => readers.map((read) => groupValueOf(read(subject)));
}

function fingerprintOf(ruleId: string, groups: unknown): string {
  return sha256Hex(`${ruleId}:${JSON.stringify(groups)}`).slice(0, 32);
}
