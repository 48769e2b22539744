import { describe, expect, it } from '@jest/globals';
import { totpAt } from '../../../../../test/support/totp.js';
import { newTotpSecret, otpauthUrl, stepOfCode } from './totp-codes.js';

/** The ASCII secret of RFC 6238, appendix B, in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const at = (seconds: number): Date => new Date(seconds * 1000);

describe('a TOTP code', () => {
  // The appendix prints eight digits. The six-digit codes are the last six of them.
  it.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('equals that of RFC 6238 at %i seconds', async (seconds, printed) => {
    const step = await stepOfCode(SECRET, printed.slice(-6), { now: at(seconds), afterStep: null });
    expect(step).toBe(Math.floor(seconds / 30));
    expect(totpAt(SECRET, seconds)).toBe(printed.slice(-6));
  });

  // A counter of HOTP is a 30-second step of TOTP.
  it.each([
    [0, '755224'],
    [1, '287082'],
    [2, '359152'],
    [3, '969429'],
    [4, '338314'],
    [5, '254676'],
    [6, '287922'],
    [7, '162583'],
    [8, '399871'],
    [9, '520489'],
  ])('equals that of RFC 4226, appendix D, for the counter %i', async (counter, code) => {
    const seconds = counter * 30;
    expect(await stepOfCode(SECRET, code, { now: at(seconds), afterStep: null })).toBe(counter);
    expect(totpAt(SECRET, seconds)).toBe(code);
  });

  it('is valid one step before and after its own and no longer', async () => {
    const [step, code] = [Math.floor(1_234_567_890 / 30), '005924'];
    const verdicts = [];
    for (const drift of [-2, -1, 0, 1, 2]) {
      for (const second of [0, 29]) {
        verdicts.push(await stepOfCode(SECRET, code, { now: at((step + drift) * 30 + second), afterStep: null }));
      }
    }
    expect(verdicts).toEqual([null, null, step, step, step, step, step, step, null, null]);
  });

  it('is refused at and before the step of the last code that was accepted', async () => {
    const now = at(1_234_567_890);
    const step = Math.floor(1_234_567_890 / 30);
    expect(await stepOfCode(SECRET, '005924', { now, afterStep: step - 1 })).toBe(step);
    expect(await stepOfCode(SECRET, '005924', { now, afterStep: step })).toBeNull();
    // The clock was set back after a code was accepted.
    expect(await stepOfCode(SECRET, '005924', { now, afterStep: step + 1000 })).toBeNull();
  });

  it('may hold blanks, and is refused unless it has six digits', async () => {
    const now = at(1_234_567_890);
    expect(await stepOfCode(SECRET, ' 005 924 ', { now, afterStep: null })).not.toBeNull();
    for (const code of ['', '05924', '0059240', '00592a', '٠٠٥٩٢٤', '89005924', '-05924', '5924']) {
      expect(await stepOfCode(SECRET, code, { now, afterStep: null })).toBeNull();
    }
  });

  it('has a secret of 160 random bits and an address that apps read', () => {
    const secret = newTotpSecret();
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(newTotpSecret()).not.toBe(secret);
    const url = new URL(otpauthUrl({ issuer: 'Events & Co', account: 'ada@example.com', secret }));
    expect(url.protocol).toBe('otpauth:');
    expect(url.host).toBe('totp');
    expect(decodeURIComponent(url.pathname)).toBe('/Events & Co:ada@example.com');
    expect(url.searchParams.get('secret')).toBe(secret);
    expect(url.searchParams.get('issuer')).toBe('Events & Co');
    // The defaults of these parameters are the values that the service uses.
    expect([url.searchParams.get('algorithm') ?? 'SHA1', url.searchParams.get('digits') ?? '6']).toEqual(['SHA1', '6']);
    expect(url.searchParams.get('period') ?? '30').toBe('30');
  });
});
