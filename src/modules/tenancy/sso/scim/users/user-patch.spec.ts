import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ValidationError } from '../../../../../platform/http/validation/index.js';
import { readPatch } from '../patch/patch-request.js';
import { ScimFault } from '../protocol/scim-fault.js';
import { documentOfUser, readUser, type UserDocument } from './user-document.js';
import { MAX_USER_OPERATIONS, patchedUser } from './user-patch.js';

const RUNS = { numRuns: 500 };
const USER = { userName: 'a@b.example', displayName: 'A', emails: [{ value: 'x', type: 'work', primary: true }] };

const paths = fc.constantFrom(
  ...['displayName', 'name', 'name.givenName', 'emails', 'emails[type eq "work"].value', 'emails[type eq "x"]'],
  ...['active', 'userName', 'externalId', 'title', 'id', 'unknown', 'emails.primary', 'urn:x:y:z', 'members', ''],
);
const values = fc.oneof(
  fc.constantFrom<unknown>('x', '', true, 'False', null, 5, [], {}, [{ value: 'y' }], { value: 'z', primary: true }),
  fc.jsonValue({ maxDepth: 2 }),
);
const operations = fc.array(
  fc.record(
    { op: fc.constantFrom('add', 'Replace', 'REMOVE', 'move'), path: paths, value: values },
    { requiredKeys: ['op'] },
  ),
  { maxLength: 5 },
);

const operationsOf = (all: object[]) => readPatch({ Operations: all }, MAX_USER_OPERATIONS);
const afterPatch = (...all: object[]) => readUser(patchedUser(documentOfUser(USER), operationsOf(all)));

describe('A PATCH of a user', () => {
  it('yields a valid user or a fault of SCIM, and never changes the user before it', () => {
    fc.assert(
      fc.property(operations, (all) => {
        const before: UserDocument = documentOfUser(USER);
        const copy = structuredClone(before);
        try {
          const user = readUser(patchedUser(before, operationsOf(all)));
          expect([true, false, null]).toContain(user.active);
          expect(user.emails.filter(({ primary }) => primary === true).length).toBeLessThan(2);
        } catch (error) {
          expect(error instanceof ScimFault || error instanceof ValidationError).toBe(true);
        }
        expect(before).toEqual(copy);
      }),
      RUNS,
    );
  });

  it('yields the same user when it is applied again without add', () => {
    const idempotent = operations.map((all) => all.filter(({ op }) => op !== 'add'));
    fc.assert(
      fc.property(idempotent, (all) => {
        const once = outcome(() => patchedUser(documentOfUser(USER), operationsOf(all)));
        if (once === null) return;
        const twice = outcome(() => patchedUser(once, operationsOf(all)));
        if (twice !== null) expect(twice).toEqual(once);
      }),
      RUNS,
    );
  });

  it('replaces what one operation names, and keeps everything else', () => {
    expect(afterPatch({ op: 'replace', path: 'displayName', value: 'B' })).toEqual({
      ...afterPatch({ op: 'add', path: 'title', value: 'ignored' }),
      displayName: 'B',
    });
  });

  it.each<[string, object[]]>([
    ['a text of 257 characters', [{ op: 'add', path: 'emails', value: { value: 'x'.repeat(257) } }]],
    ['such a text in a sub-attribute', [{ op: 'replace', path: 'emails.type', value: '\u{1f600}'.repeat(257) }]],
    ['such a text in a filter', [{ op: 'add', path: `emails[value eq "${'x'.repeat(257)}"].type`, value: 'x' }]],
    ['a text that a later operation removes', [emailsOf({ value: 'x'.repeat(257) }), { op: 'remove', path: 'emails' }]],
    ['a part that is no text', [emailsOf({ value: 'x', display: {} })]],
    ['an unknown truth value', [{ op: 'replace', path: 'emails.primary', value: 'perhaps' }]],
    ['more addresses than a user has', [emailsOf(...Array.from({ length: 21 }, () => ({ value: '' })))]],
    ['too many operations', Array.from({ length: 201 }, () => ({ op: 'remove', path: 'title' }))],
    ['too many members without a path', [{ op: 'add', value: membersOf(201) }]],
    ['an object with too many members', [emailsOf({ value: 'x', ...membersOf(1_000) })]],
  ])('is refused with %s', (_, all) => {
    expect(() => afterPatch(...all)).toThrow(ScimFault);
  });

  it('keeps texts of 256 characters, and forgets unknown parts of an address', () => {
    const [value, type] = ['x'.repeat(256), '\u{1f600}'.repeat(256)];
    const { emails } = afterPatch(emailsOf({ VALUE: value, Type: type, primary: 'True', unknown: 1, $ref: 'x' }));
    expect(emails).toEqual([{ value, type, primary: true }]);
  });

  it('accepts 200 operations', () => {
    const all = Array.from({ length: 200 }, (_, at) => ({ op: 'replace', path: 'displayName', value: `${at}` }));
    expect(afterPatch(...all)).toMatchObject({ displayName: '199' });
  });
});

function emailsOf(...value: object[]): object {
  return { op: 'replace', path: 'emails', value };
}

function membersOf(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, at]));
}

function outcome<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
