import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { sha256 } from '../../../../platform/crypto/index.js';
import type { AccountAct } from '../account-acts.service.js';
import { EarnedProofsService } from '../earned-proofs.service.js';
import { typedCode } from '../typed-code.js';
import { RecoveryCodesRepository } from './recovery-codes.repository.js';

const COUNT = 10;
/** 24 digits of five bits: 120 bits, which need no slow hash. */
const DIGITS = 24;
/** Crockford's: no i, l, o or u, so that a code read from paper is typed right. 32 of them divide a byte evenly. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Recovery codes: shown once, kept as hashes, each good once in place of another second factor. */
@Injectable()
export class RecoveryCodesService {
  constructor(
    private readonly codes: RecoveryCodesRepository,
    private readonly earned: EarnedProofsService,
  ) {}

  /** Ten new ones in place of all earlier ones. */
  async replace(act: AccountAct): Promise<string[]> {
    await this.end(act);
    return this.insert(act, true);
  }

  /** Ten that come into force by {@link activate}; the ones in force stay so until then. */
  async prepare(act: AccountAct): Promise<string[]> {
    await this.codes.remove(act.user.id, false, act.tx);
    return this.insert(act, false);
  }

  async activate(act: AccountAct): Promise<void> {
    await this.end(act);
    await this.codes.activate(act.user.id, act.tx);
  }

  /** True for an unused code, which is used up by this. */
  async accept({ tx, user, note }: AccountAct, code: string): Promise<boolean> {
    const isGood = await this.codes.use(user.id, hashOf(code), tx);
    if (isGood) await note('recovery_code_used');
    return isGood;
  }

  private async insert({ tx, user }: AccountAct, isActive: boolean): Promise<string[]> {
    const codes = Array.from({ length: COUNT }, newRecoveryCode);
    await this.codes.insert(user.id, codes.map(hashOf), isActive, tx);
    return codes;
  }

  /** Those in force, and what they have earned. */
  private async end(act: AccountAct): Promise<void> {
    const ended = await this.codes.remove(act.user.id, true, act.tx);
    if (ended > 0) await this.earned.endOf(act.user.id, 'recovery_code', act.tx);
  }
}

/** `xxxx-xxxx-xxxx-xxxx-xxxx-xxxx`. */
function newRecoveryCode(): string {
  const digits = Array.from(randomBytes(DIGITS), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
  return digits.replace(/.{4}(?=.)/g, '$&-');
}

/** Of the digits alone: case, blanks and dashes do not matter, and letters that look like digits are read as such. */
function hashOf(code: string): Buffer {
  return sha256(typedCode(code).toLowerCase().replaceAll('o', '0').replaceAll(/[il]/g, '1'));
}
