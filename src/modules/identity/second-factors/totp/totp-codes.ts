import { generateSecret, generateURI, verify } from 'otplib';
import { typedCode } from '../typed-code.js';

const PERIOD_SECONDS = 30;
const DIGITS = 6;
const ALGORITHM = 'sha1';
/** A code is also accepted one step before and one step after its own. */
const DRIFT_SECONDS = PERIOD_SECONDS;

/** Returns 160 random bits in base32. */
export function newTotpSecret(): string {
  return generateSecret({ length: 20 });
}

/** Returns the URL that authenticator apps read from a QR code. */
export function otpauthUrl(options: { issuer: string; account: string; secret: string }): string {
  return generateURI({
    issuer: options.issuer,
    label: options.account,
    secret: options.secret,
    algorithm: ALGORITHM,
    digits: DIGITS,
    period: PERIOD_SECONDS,
  });
}

/**
 * Returns the 30-second step that a code belongs to. Returns null when the code does not belong to the current step or
 * to one of the two adjacent steps, or when its step is not after `afterStep`. Blanks and dashes within the code are
 * ignored, since apps show them.
 */
export async function stepOfCode(
  secret: string,
  code: string,
  { now, afterStep }: { now: Date; afterStep: number | null },
): Promise<number | null> {
  const token = typedCode(code);
  if (!/^[0-9]{6}$/.test(token)) return null;
  const epoch = Math.floor(now.getTime() / 1000);
  // The library throws when `afterTimeStep` is later than the current step. No code can be valid in that case.
  if (afterStep !== null && afterStep > Math.floor(epoch / PERIOD_SECONDS)) return null;
  const result = await verify({
    secret,
    token,
    epoch,
    epochTolerance: DRIFT_SECONDS,
    algorithm: ALGORITHM,
    digits: DIGITS,
    period: PERIOD_SECONDS,
    ...(afterStep !== null && { afterTimeStep: afterStep }),
  });
  return result.valid && 'timeStep' in result ? result.timeStep : null;
}
