import { describe, expect, it } from '@jest/globals';
import { ownerWithProject } from '../../support/actors.js';
import { secretsOf } from '../../support/secrets.js';
import { app, off } from './instances.js';

describe('a secret of a project', () => {
  it('is listed and deleted, but not stored, while encryption is switched off', async () => {
    const owner = await ownerWithProject(app);
    const id = await secretsOf(app, owner).made('KEPT', 'value');
    const there = secretsOf(off, owner);
    for (const answer of [await there.create('NEW', 'x'), await there.replace(id, 'x')])
      expect([answer.status, answer.body]).toEqual([503, { detail: 'Secrets are unavailable' }]);
    expect((await there.list()).body).toEqual([expect.objectContaining({ id, version: 1 })]);
    expect((await there.delete(id)).status).toBe(204);
  });
});
