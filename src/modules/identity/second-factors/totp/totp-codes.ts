import { generateSecret, generateURI, verify } from 'otplib';
import { typedCode } from '../typed-code.js';

const PERIOD_SECONDS = 30;
const DIGITS = 6;
const ALGORITHM = 'sha1';
/** One step either way. */
const DRIFT_SECONDS = PERIOD_SECONDS;

/** 160 random bits in base32. */
export function newTotpSecret(): string {
  return generateSecret({ length: 20 });
}

/** What authenticator apps read from a QR code. */
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
 * The 30-second step a code belongs to, or null when it is none of this secret now or of the steps beside it,
 * or of a step that is not after `afterStep`. Blanks and dashes within the code are ignored, since apps show them.
 */
export async function stepOfCode(
  secret: string,
  code: string,
  { now, afterStep }: { now: Date; afterStep: number | null },
): Promise<number | null> {
  const token = typedCode(code);
  if (!/^[0-9]{6}$/.test(token)) return null;
  const epoch = Math.floor(now.getTime() / 1000);
  // The library takes a bound beyond the last acceptable step for a mistake and throws; nothing can be good then.
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
