import { type Failure, Faults } from '../../../platform/http/fields/index.js';

/** A filter or condition that was accepted once and would be refused today; the message says where and why. */
export class StoredFilterRefused extends Error {
  constructor(failure: Failure) {
    super(firstOf(failure));
  }
}

/** The first fault with its place: `all.0.value: a filter has at most 20 patterns`. */
function firstOf(failure: Failure): string {
  const place: (string | number)[] = [];
  let current = failure;
  while (current instanceof Faults) {
    const [first] = current.members;
    if (first === undefined) return 'it does not fit the grammar';
    place.push(first.key);
    current = first.fault;
  }
  const sentence = current.msg.replace(/^Value error, /, '');
  return place.length === 0 ? sentence : `${place.join('.')}: ${sentence}`;
}
