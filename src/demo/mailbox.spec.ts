import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { Mailbox, mailText, verificationToken } from './mailbox.js';

const EMAIL = 'demo-123456789012@example.com';
const TOKEN = 'aZ09_-aZ09_-aZ09_-aZ09_-aZ09_-aZ09_-aZ09_-x';

const textFor = (email: string, token: string): string =>
  `Welcome.\n\nOpen this link:\n\nhttp://localhost:3000/verify-email?${new URLSearchParams({ email, token }).toString()}\n\nThat is all.\n`;

/** Returns a message as the service's mail library writes it. */
async function mail(text: string, options: SendMailOptions = {}): Promise<Buffer> {
  const transport = createTransport({ streamTransport: true, buffer: true });
  const { message } = await transport.sendMail({
    from: 'no-reply@example.com',
    to: EMAIL,
    subject: 'Grüße',
    text,
    ...options,
  });
  return message as Buffer;
}

const readText = async (text: string, options?: SendMailOptions): Promise<string> =>
  mailText((await mail(text, options)).toString('latin1'))
    .replaceAll('\r\n', '\n')
    .trimEnd();

describe('mailText', () => {
  it('puts long quoted-printable lines together again', async () => {
    const text = textFor(EMAIL, TOKEN);
    expect((await mail(text)).toString()).toContain('quoted-printable');
    expect(await readText(text)).toBe(text.trimEnd());
  });

  it.each(['quoted-printable', 'base64'] as const)('reads %s in UTF-8', async (textEncoding) => {
    const text = `Grüße, 日本 😀 = ${'lang '.repeat(40)}`;
    expect(await readText(text, { textEncoding })).toBe(text.trimEnd());
  });

  it('reads short plain text as it stands', async () => {
    expect(await readText('1 + 1 =2D?')).toBe('1 + 1 =2D?');
  });

  it('keeps blank lines of the body', () => {
    expect(mailText('Subject: x\r\n\r\none\r\n\r\ntwo')).toBe('one\r\n\r\ntwo');
  });

  it('reads an encoding from a folded header of any case', () => {
    expect(mailText('CONTENT-TRANSFER-ENCODING:\n BASE64\n\naGk=')).toBe('hi');
  });

  it('has no text when the body is missing', () => {
    expect(mailText('Subject: x')).toBe('');
  });
});

describe('verificationToken', () => {
  it('finds the token of the link for the address', () => {
    expect(verificationToken(textFor(EMAIL, TOKEN), EMAIL)).toBe(TOKEN);
    expect(verificationToken(textFor(EMAIL.toUpperCase(), TOKEN), EMAIL)).toBe(TOKEN);
  });

  it('takes no link of another address, of another purpose or without a token', () => {
    expect(verificationToken(textFor('somebody@example.com', TOKEN), EMAIL)).toBeNull();
    expect(verificationToken(textFor(EMAIL, TOKEN).replace('verify-email', 'reset-password'), EMAIL)).toBeNull();
    expect(verificationToken(textFor(EMAIL, ''), EMAIL)).toBeNull();
  });

  it('takes no link that ends with the text, since the rest may not be written yet', () => {
    expect(verificationToken(`http://localhost/verify-email?email=${EMAIL}&token=half`, EMAIL)).toBeNull();
  });
});

describe('Mailbox', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'oes-mailbox-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('finds the mail that comes after it was opened', async () => {
    await writeFile(join(folder, 'old.eml'), await mail(textFor(EMAIL, 'old')));
    const mailbox = await Mailbox.open(folder);
    const waiting = mailbox.waitForToken(EMAIL, 10_000);
    await writeFile(join(folder, 'other.eml'), await mail(textFor('other@example.com', 'other')));
    await writeFile(join(folder, 'new.eml'), await mail(textFor(EMAIL, TOKEN)));
    expect(await waiting).toBe(TOKEN);
  });

  it('gives up when none has come', async () => {
    const mailbox = await Mailbox.open(join(folder, 'not-there-yet'));
    expect(await mailbox.waitForToken(EMAIL, 0)).toBeNull();
  });
});
