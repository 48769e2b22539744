import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { aggregatedErrors, asError, errorCode, errorMessage, isError } from './index.js';

const foreign = runInNewContext('Object.assign(new TypeError("bad address"), { code: "EINVAL" })') as unknown;
const group = runInNewContext('new AggregateError([new Error("one"), new Error("two")])') as unknown;

describe('a thrown value', () => {
  it('is an error when it comes from another realm', () => {
    expect(isError(foreign)).toBe(true);
    expect(asError(foreign)).toBe(foreign);
  });

  it.each([
    ['a string', 'no room', 'no room'],
    ['undefined', undefined, 'undefined'],
    ['an object with a message', { message: 'refused' }, 'refused'],
  ])('becomes an error with its text when it is %s', (_, thrown, message) => {
    expect(isError(thrown)).toBe(false);
    expect(errorMessage(thrown)).toBe(message);
    expect(asError(thrown)).toMatchObject({ name: 'Error', message });
  });

  it.each([
    ['of an error', foreign, 'EINVAL'],
    ['of an error with a number', { code: 7 }, undefined],
    ['of null', null, undefined],
  ])('has the code %s', (_, thrown, code) => {
    expect(errorCode(thrown)).toBe(code);
  });

  it('has the errors of an aggregate error from another realm', () => {
    expect(aggregatedErrors(group)?.map(errorMessage)).toEqual(['one', 'two']);
    expect(aggregatedErrors(foreign)).toBeNull();
  });
});
