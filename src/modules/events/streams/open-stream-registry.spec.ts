import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ProjectMemberScope } from '../../access/index.js';
import { OpenStreamRegistry } from './open-stream-registry.js';

type Parts = ConstructorParameters<typeof OpenStreamRegistry>;
type Stream = Parameters<OpenStreamRegistry['add']>[1];

const SCOPE = { projectId: 'p', organizationId: 'o', userId: 'u', sessionId: 's' } as ProjectMemberScope;

describe('an open stream', () => {
  let isAway: boolean;
  let isMember: boolean;
  let ended: number;
  let losing: (change: { userId: string; organizationId: string }) => void;
  let streams: OpenStreamRegistry;

  beforeEach(() => {
    jest.useFakeTimers();
    [isAway, isMember, ended] = [false, true, 0];
    const answer = <T>(value: T): Promise<T> =>
      isAway ? Promise.reject(new Error('no database')) : Promise.resolve(value);
    const nothing = (): void => undefined;
    const members = { ofProject: () => answer(isMember ? { role: 'viewer' } : null) };
    const sessions = { isComplete: () => answer(true), onRevoked: () => nothing, onFactorsChanged: () => nothing };
    const memberships = {
      subscribe: (handler: typeof losing) => {
        losing = handler;
        return nothing;
      },
    };
    const projects = { onChange: () => nothing };
    streams = new OpenStreamRegistry(...([members, sessions, memberships, projects] as unknown as Parts));
    streams.onModuleInit();
    const closings: (() => void)[] = [];
    const stream = {
      end: () => {
        ended += 1;
        for (const tell of closings) tell();
      },
      whenClosed: (tell: () => void) => void closings.push(tell),
    };
    streams.add(SCOPE, stream as unknown as Stream);
  });
  afterEach(() => {
    streams.onModuleDestroy();
    jest.useRealTimers();
  });

  const pass = (seconds: number): Promise<void> => jest.advanceTimersByTimeAsync(seconds * 1000);

  it('survives a database that is unavailable for a while', async () => {
    await pass(50);
    isAway = true;
    await pass(40);
    isAway = false;
    await pass(120);
    expect([ended, streams.count]).toEqual([0, 1]);
  });

  it('ends when the database is available again and its reader is no longer a member', async () => {
    await pass(50);
    isAway = true;
    await pass(20);
    [isAway, isMember] = [false, false];
    expect(ended).toBe(0);
    await pass(10);
    expect([ended, streams.count]).toEqual([1, 0]);
  });

  it('ends when its reader cannot be checked for about a minute', async () => {
    await pass(50);
    isAway = true;
    await pass(60);
    expect(ended).toBe(0);
    await pass(30);
    expect([ended, streams.count]).toEqual([1, 0]);
  });

  it('ends at once when a loss of access is reported and cannot be checked', async () => {
    isAway = true;
    losing(SCOPE);
    await pass(3);
    expect([ended, streams.count]).toEqual([1, 0]);
  });
});
