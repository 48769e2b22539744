import {
  type Failure,
  Fault,
  type FaultyMember,
  type Kind,
  type Read,
} from '../../../../platform/http/validation/index.js';

/** Returns the reader of a kind that contains no classes. */
export const readerOf = <T>(kind: Kind<T>): Read<T> =>
  kind.build(() => {
    throw new Error('A condition holds no classes');
  });

export function faulty(key: string | number, fault: Failure): FaultyMember {
  return { key, secret: false, fault };
}

export function noList(value: unknown): Fault {
  return new Fault('list_type', 'Input should be a valid list', value);
}

export function emptyList(value: readonly unknown[]): Fault {
  return new Fault('too_short', 'List should have at least 1 item after validation, not 0', value, {
    field_type: 'List',
    min_length: 1,
    actual_length: 0,
  });
}
