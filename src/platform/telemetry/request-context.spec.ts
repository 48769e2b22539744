import { describe, expect, it } from '@jest/globals';
import { currentContext, runInContext, setContext } from './request-context.js';

describe('request context', () => {
  it('is undefined outside, and setting it there does nothing', () => {
    setContext({ userId: 'nobody' });
    expect(currentContext()).toBeUndefined();
  });

  it('follows asynchronous work and what is set on the way', async () => {
    await runInContext({ requestId: 'r1' }, async () => {
      await Promise.resolve();
      setContext({ userId: 'u1', projectId: undefined });
      await new Promise((resolve) => setImmediate(resolve));
      setContext({ projectId: 'p1' });
      expect(currentContext()).toEqual({ requestId: 'r1', userId: 'u1', projectId: 'p1' });
    });
  });

  it('shows the caller what a callee has set, as guards do for handlers', async () => {
    await runInContext({ requestId: 'r1' }, async () => {
      const guard = async () => {
        await Promise.resolve();
        setContext({ organizationId: 'o1' });
      };
      await guard();
      expect(currentContext()?.organizationId).toBe('o1');
    });
  });

  it('keeps parallel requests and the given object apart', async () => {
    const given = { requestId: 'r1' };
    const seen = await Promise.all(
      [given, { requestId: 'r2' }].map((context) =>
        runInContext(context, async () => {
          setContext({ userId: `user of ${context.requestId}` });
          await new Promise((resolve) => setImmediate(resolve));
          return currentContext();
        }),
      ),
    );
    expect(seen.map((context) => context?.userId)).toEqual(['user of r1', 'user of r2']);
    expect(given).toEqual({ requestId: 'r1' });
  });
});
