import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ValidationError } from '../../../../../platform/http/fields/index.js';
import { readPatch } from '../patch/patch-request.js';
import { ScimFault } from '../protocol/scim-fault.js';
import { documentOfUser, readUser, type UserDocument } from './user-document.js';
import { patchedUser } from './user-patch.js';

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

const afterPatch = (...all: object[]) => readUser(patchedUser(documentOfUser(USER), readPatch({ Operations: all })));

describe('A PATCH of a user', () => {
  it('yields a valid user or a fault of SCIM, and never changes the user before it', () => {
    fc.assert(
      fc.property(operations, (all) => {
        const before: UserDocument = documentOfUser(USER);
        const copy = structuredClone(before);
        try {
          const user = readUser(patchedUser(before, readPatch({ Operations: all })));
          expect(typeof user.active).toBe('boolean');
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
        const once = outcome(() => patchedUser(documentOfUser(USER), readPatch({ Operations: all })));
        if (once === null) return;
        const twice = outcome(() => patchedUser(once, readPatch({ Operations: all })));
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
});

function outcome<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
