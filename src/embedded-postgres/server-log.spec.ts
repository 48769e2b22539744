import { describe, expect, it } from '@jest/globals';
import { isDiskFull, reasonIn } from './server-log.js';

const at = (line: string): string => `2026-11-22 10:00:00.000 UTC [42] ${line}`;
const FULL = at('PANIC:  could not write to file "pg_wal/xlogtemp.42": No space left on device');
const EARLY = at('FATAL:  the database system is not yet accepting connections');

describe('the reason why a server ended', () => {
  it.each<[string, string[], string | null]>([
    ['a full disk, despite later lines about clients', [at('LOG:  starting'), FULL, EARLY, EARLY], FULL],
    ['a full disk, despite later failures that it caused', [FULL, at('FATAL:  startup process was terminated')], FULL],
    [
      'the last fatal line that is not about clients',
      [at('FATAL:  lock file "postmaster.pid" already exists'), at('FATAL:  password authentication failed'), EARLY],
      at('FATAL:  lock file "postmaster.pid" already exists'),
    ],
    ['unknown when a line might repeat input of tenants', [at('ERROR:  invalid input: "secret"')], null],
    ['unknown when all lines are about clients', [EARLY, ''], null],
    [
      'a missing library',
      ['postgres: error while loading shared libraries: libx.so'],
      'postgres: error while loading shared libraries: libx.so',
    ],
  ])('is read from the log as %s', (_, lines, reason) => {
    expect(reasonIn(lines.join('\n'))).toBe(reason);
  });

  it('means a full disk only when the disk is full', async () => {
    expect(await isDiskFull('/', reasonIn(FULL))).toBe(true);
    expect(await isDiskFull('/', at('FATAL:  could not create shared memory segment'))).toBe(false);
    expect(await isDiskFull('/nowhere', null)).toBe(false);
  });
});
