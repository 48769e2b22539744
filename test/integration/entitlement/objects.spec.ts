import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ObjectStore } from '../../../src/platform/storage/index.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Objects, storedFiles } from '../../support/objects.js';

const TOKEN = 'maintenance-token-of-the-object-suite';

describe('the content of an object', () => {
  let app: TestApp;
  let owner: Owner;
  let objects: Objects;

  beforeAll(async () => {
    app = await createTestApp({
      env: { INTERNAL_JOB_TOKEN: TOKEN },
    });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    owner = await ownerWithProject(app);
    objects = new Objects(app, owner);
  });

  const maintain = (): Promise<unknown> =>
    app.request().post('/internal/jobs/maintenance').set('X-Internal-Token', TOKEN).expect(200);

  it('counts nothing and leaves nothing behind when its lease was lost', async () => {
    const store = app.nest.get(ObjectStore);
    const put = store.put.bind(store);
    const spy = jest.spyOn(store, 'put').mockImplementationOnce(async (...given) => {
      await app.rows(`UPDATE stored_blobs SET due_at = now() - interval '1 second' WHERE project_id = $1`, [
        owner.projectId,
      ]);
      await maintain();
      await put(...given);
    });
    await objects.put('late', 'too late').expect(503);
    spy.mockRestore();
    expect((await objects.usage()).storage).toMatchObject({ bytes_used: 0, bytes_reserved: 0, objects: 0 });
    await maintain();
    const rows = await app.rows('SELECT state FROM stored_blobs WHERE project_id = $1', [owner.projectId]);
    expect(rows).toEqual([]);
    // Other contents may still be in the store, each with its row.
    const known = new Set((await app.rows<{ id: string }>('SELECT id FROM stored_blobs')).map(({ id }) => id));
    const names = [...(await storedFiles(app.dataDir)).keys()].map((path) => path.split('/').at(-1) ?? '');
    expect(names.filter((name) => !known.has(name.replace(/\.draft$/, '')))).toEqual([]);
  });
});
