import { describe, expect, it } from '@jest/globals';
import { isDiskFull, reasonIn } from './server-log.js';

const at = (line: string): string => `2026-11-22 10:00:00.000 UTC [42] ${line}`;
const FULL = at('PANIC:  could not write to file "pg_wal/xlogtemp.42": No space left on device');
const EARLY = at('FATAL:  the database system is not yet accepting connections');

describe('why a server ended, by its log', () => {
  it.each<[string, string[], string | null]>([
    ['a full disk, whatever clients were told after it', [at('LOG:  starting'), FULL, EARLY, EARLY], FULL],
    ['a full disk, whatever failed because of it', [FULL, at('FATAL:  startup process was terminated')], FULL],
    [
      'its last fatal line, not what clients were told',
      [at('FATAL:  lock file "postmaster.pid" already exists'), at('FATAL:  password authentication failed'), EARLY],
      at('FATAL:  lock file "postmaster.pid" already exists'),
    ],
    ['nothing, where a line might repeat what tenants entered', [at('ERROR:  invalid input: "secret"')], null],
    ['nothing, where clients alone were told something', [EARLY, ''], null],
    [
      'a missing library',
      ['postgres: error while loading shared libraries: libx.so'],
      'postgres: error while loading shared libraries: libx.so',
    ],
  ])('is %s', (_, lines, reason) => {
    expect(reasonIn(lines.join('\n'))).toBe(reason);
  });

  it('asks for room only where the disk is what is full', async () => {
    expect(await isDiskFull('/', reasonIn(FULL))).toBe(true);
    expect(await isDiskFull('/', at('FATAL:  could not create shared memory segment'))).toBe(false);
    expect(await isDiskFull('/nowhere', null)).toBe(false);
  });
});
