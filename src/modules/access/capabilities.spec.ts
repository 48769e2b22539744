import { describe, expect, it } from '@jest/globals';
import { CAPABILITIES, CAPABILITIES_OF_ROLE, hasCapability } from './capabilities.js';
import { ROLES } from './roles.js';

// The table is written out again, cell by cell, so that a change of capabilities must change two files.
const TABLE = `
                          viewer member operator admin owner
delivery:read             yes    yes    yes      yes   yes
delivery:replay           no     no     yes      yes   yes
delivery:retry_now        no     no     yes      yes   yes
delivery:dlq_drain        no     no     no       yes   yes
delivery:manage_channels  no     yes    no       yes   yes
`;

const [roles = [], ...rows] = TABLE.trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/));

describe('delivery capabilities', () => {
  it('are given to each role as the table says', () => {
    expect(roles).toEqual(ROLES);
    expect(rows.map(([capability]) => capability)).toEqual(CAPABILITIES);
    const table = CAPABILITIES.map((capability) => [
      capability,
      ...ROLES.map((role) => (hasCapability(role, capability) ? 'yes' : 'no')),
    ]);
    expect(table).toEqual(rows);
  });

  it('are listed once for each role', () => {
    for (const list of Object.values(CAPABILITIES_OF_ROLE)) expect(new Set(list).size).toBe(list.length);
  });
});
