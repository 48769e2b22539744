// The worst requests that a caller may send. The bench measures them, and the tests check that the service survives
// them.
import { HANG_TIMEOUT_MS } from '../../test/support/bounds.mjs';
import { ACCOUNTS } from './accounts.mjs';
import { FANOUT } from './fanout.mjs';
import { FLOODS } from './floods.mjs';
import { INSIGHT } from './insight.mjs';
import { INTAKE } from './intake.mjs';
import { PAGES } from './pages.mjs';
import { PROGRAMS } from './programs.mjs';
import { REQUESTS } from './requests.mjs';
import { SLOW_READS } from './slow-reads.mjs';

/**
 * `prepare(attacker, size)` returns what the attacks need, or undefined if the service refuses it. The attacks are then
 * skipped. `attacks` are functions `(attacker, size, prepared)` by name. `release(prepared)` stops what `prepare`
 * started.
 */
export const CASES = [
  ...PROGRAMS,
  ...PAGES,
  ...REQUESTS,
  ...INTAKE,
  ...ACCOUNTS,
  ...FLOODS,
  ...FANOUT,
  ...INSIGHT,
  ...SLOW_READS,
];

/** The size of each attack: enough to do harm, and limited in time. */
export const SIZES = {
  bench: {
    events: 300,
    rows: 300,
    readers: 4,
    streamMs: 4_000,
    matchMs: 4_000,
    floodMs: 5_000,
    backtested: 5_000,
    searched: 3_000,
    logins: 100,
    changes: 300,
    channels: 60,
    fanned: 3_000,
    asked: 6_000,
    slowReadRounds: 3,
    slowReadEveryMs: 3_000,
    pipelined: 1_800,
    connections: 2_000,
    bodies: 1_500,
    answerMs: 8_000,
    heldMs: 8_000,
  },
  test: {
    events: 24,
    rows: 300,
    readers: 2,
    streamMs: 1_000,
    matchMs: 500,
    floodMs: 500,
    backtested: 500,
    searched: 500,
    logins: 12,
    changes: 24,
    channels: 4,
    fanned: 100,
    asked: 200,
    slowReadRounds: 2,
    slowReadEveryMs: 500,
    pipelined: 400,
    connections: 100,
    bodies: 90,
    answerMs: HANG_TIMEOUT_MS,
    heldMs: 1_000,
  },
};
