import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import PostalMime from 'postal-mime';
import { FixedClock } from '../clock/index.js';
import { CaptureMailer } from './capture-mailer.js';

let root: string;
let dir: string;
let mailer: CaptureMailer;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'capture-mailer-'));
  dir = join(root, 'outbox');
  mailer = new CaptureMailer({
    dir,
    from: 'Größe <no-reply@service.example>',
    clock: new FixedClock('2026-02-03T04:05:06.007Z'),
  });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const link = `https://app.example/verify-email?email=ada%2Btag%40example.com&token=${'Zz09-_'.repeat(60)}`;

describe('CaptureMailer', () => {
  it('writes one parseable text/plain part with its links intact', async () => {
    const text = `Grüße 👋\n\n${link}\n\n. a line that starts with a dot\nFrom here on\n`;
    const result = await mailer.send({
      to: 'ada@example.com',
      subject: `Bestätigen –${' lang'.repeat(30)}`,
      text,
      headers: { 'X-Trace': 'abc' },
    });
    expect(result).toEqual({
      status: 'not_configured',
      messageId: expect.stringMatching(/^<[0-9a-f-]{36}@service\.example>$/),
    });

    const [name = ''] = await readdir(dir);
    const raw = await readFile(join(dir, name));
    const parsed = await PostalMime.parse(raw);
    expect(parsed.text?.replaceAll('\r\n', '\n')).toBe(text);
    expect(parsed).toMatchObject({
      from: { name: 'Größe', address: 'no-reply@service.example' },
      to: [{ address: 'ada@example.com' }],
      subject: `Bestätigen –${' lang'.repeat(30)}`,
      date: '2026-02-03T04:05:06.000Z',
      messageId: result.messageId,
      attachments: [],
    });
    expect(parsed.html).toBeUndefined();
    expect(parsed.headers).toContainEqual(expect.objectContaining({ key: 'x-trace', value: 'abc' }));
    expect(parsed.headers).toContainEqual(
      expect.objectContaining({ key: 'content-type', value: 'text/plain; charset=utf-8' }),
    );
    expect(raw.toString('utf8')).toContain(link);
    expect(raw.toString('utf8').replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  });

  it('names the file by time and id, for its owner alone, and leaves nothing else behind', async () => {
    const { messageId } = await mailer.send({ to: 'ada@example.com', subject: 's', text: 't' });
    await mailer.send({ to: 'ada@example.com', subject: 's', text: 't' });
    const names = await readdir(dir);
    expect(names).toHaveLength(2);
    expect(names).toContain(`20260203T040506007Z-${messageId.slice(1, 37)}.eml`);
    expect((await stat(join(dir, names[0] ?? ''))).mode & 0o777).toBe(0o600);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
  });

  it('refuses a subject or recipient with a line break and writes nothing', async () => {
    for (const change of [{ subject: 's\r\nBcc: eve@example.com' }, { to: 'ada@example.com\nBcc: eve@example.com' }]) {
      const result = await mailer.send({ to: 'ada@example.com', subject: 's', text: 't', ...change });
      expect(result).toMatchObject({ status: 'failed', transient: false });
    }
    await expect(readdir(dir)).rejects.toThrow('ENOENT');
  });

  it('reports a folder it cannot write as a transient failure', async () => {
    await writeFile(dir, 'a file in the way');
    const result = await mailer.send({ to: 'ada@example.com', subject: 's', text: 't' });
    expect(result).toMatchObject({
      status: 'failed',
      transient: true,
      error: expect.stringContaining('Cannot write captured mail'),
    });
  });
});
