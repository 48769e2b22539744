import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readPatch } from '../patch/patch-request.js';
import { ScimFault } from '../protocol/scim-fault.js';
import { documentOfGroup } from './group-document.js';
import { MAX_GROUP_OPERATIONS, patchedGroup } from './group-patch.js';

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
        const { members } = patchedGroup(group, readPatch({ Operations: all }, MAX_GROUP_OPERATIONS));
        expect([...members].sort()).toEqual([...model].sort());
        expect([...group.members]).toEqual(['a', 'b']);
      }),
      RUNS,
    );
  });

  const removal = (count: number) => {
    const filter = Array.from({ length: count }, () => 'value eq "a"').join(' or ');
    return { op: 'remove', path: `members[${filter}]` };
  };
  it.each([
    ['more members than 20,000 by values', repeated(2, addition(10_001))],
    ['more members than 20,000 by filters', repeated(401, removal(50))],
    ['paths of more than 700,000 characters', repeated(1_100, removal(40))],
    ['more operations than 10,000', repeated(10_001, addition(1))],
    ['more members without a path than 10,000', repeated(11, { op: 'add', value: unknownMembers(1_000) })],
    ['an object with more than 1,000 members', [{ op: 'add', value: unknownMembers(1_001) }]],
  ])('is refused with %s', (_, all) => {
    const group = documentOfGroup({ displayName: 'G', members: ['a', 'b'] });
    const patch = () => patchedGroup(group, readPatch({ Operations: all }, MAX_GROUP_OPERATIONS));
    expect(patch).toThrow(ScimFault);
  });
});

function repeated<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value);
}

function addition(count: number): object {
  return { op: 'add', path: 'members', value: repeated(count, 'a') };
}

function unknownMembers(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, at]));
}
