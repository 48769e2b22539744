import { describe, expect, it } from '@jest/globals';
import { currentContext, type RequestContext, runInContext } from './request-context.js';

describe('request context', () => {
  it('is undefined outside', () => {
    expect(currentContext()).toBeUndefined();
  });

  it('follows asynchronous work, and shows what is added on the way', async () => {
    const context: RequestContext = { requestId: 'r1', cameAt: 0 };
    await runInContext(context, async () => {
      await Promise.resolve();
      context.userId = 'u1';
      await new Promise((resolve) => setImmediate(resolve));
      const guard = async () => {
        await Promise.resolve();
        context.projectId = 'p1';
      };
      await guard();
      expect(currentContext()).toEqual({ requestId: 'r1', cameAt: 0, userId: 'u1', projectId: 'p1' });
    });
  });

  it('keeps parallel requests apart', async () => {
    const seen = await Promise.all(
      ['r1', 'r2'].map((requestId) =>
        runInContext({ requestId, cameAt: 0 }, async () => {
          Object.assign(currentContext() ?? {}, { userId: `user of ${requestId}` });
          await new Promise((resolve) => setImmediate(resolve));
          return currentContext();
        }),
      ),
    );
    expect(seen.map((context) => context?.userId)).toEqual(['user of r1', 'user of r2']);
  });
});
