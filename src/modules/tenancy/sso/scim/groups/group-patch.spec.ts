import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readPatch } from '../patch/patch-request.js';
import { documentOfGroup } from './group-document.js';
import { patchedGroup } from './group-patch.js';

const RUNS = { numRuns: 500 };

describe('A PATCH of a group', () => {
  const ids = fc.constantFrom('a', 'b', 'c', 'd');
  const change = fc.oneof(
    fc.record({ verb: fc.constant('add' as const), id: ids }),
    fc.record({ verb: fc.constant('remove' as const), id: ids }),
    fc.record({ verb: fc.constant('filter' as const), id: ids }),
  );

  it('does to the members what the same steps do to a set', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 20 }), (changes) => {
        const model = new Set(['a', 'b']);
        for (const { verb, id } of changes) {
          if (verb === 'add') model.add(id);
          else model.delete(id);
        }
        const all = changes.map(({ verb, id }) =>
          verb === 'filter'
            ? { op: 'remove', path: `members[value eq "${id}"]` }
            : { op: verb, path: 'members', value: [{ value: id.toUpperCase() }] },
        );
        const group = documentOfGroup({ displayName: 'G', members: ['a', 'b'] });
        const { members } = patchedGroup(group, readPatch({ Operations: all }));
        expect([...members].sort()).toEqual([...model].sort());
        expect([...group.members]).toEqual(['a', 'b']);
      }),
      RUNS,
    );
  });
});
