import { sha256 } from '../../../platform/crypto/index.js';
import { type FilterSubject, readField } from '../../alert-conditions/index.js';

/** The value of a field that events are grouped by; null where it is missing or no scalar. */
export type GroupValue = string | number | boolean | null;

/** One series of a rule: the events that share its group values. */
export interface Series {
  readonly fingerprint: string;
  readonly groupValues: Readonly<Record<string, GroupValue>>;
}

/** Characters of a text that tell groups apart. */
export const MAX_GROUP_TEXT = 200;
