import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { sha256 } from '../../../../platform/crypto/index.js';
import type { AccountAct } from '../account-transactions.js';
import { ElevatedSessionsService } from '../elevated-sessions.service.js';
import { typedCode } from '../typed-code.js';
import { RecoveryCodesRepository } from './recovery-codes.repository.js';

const COUNT = 10;
/** 24 digits of five bits give 120 random bits, so a fast hash is enough. */
const DIGITS = 24;
/**
 * Crockford's base32 alphabet. It has no i, l, o or u, so that a code on paper is typed correctly. Its 32 characters
 * divide the values of a byte evenly.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Manages recovery codes. They are shown once, stored as hashes, and each one replaces another second factor once. */
@Injectable()
export class RecoveryCodesService {
  constructor(
    private readonly codes: RecoveryCodesRepository,
    private readonly elevatedSessions: ElevatedSessionsService,
  ) {}

  /** Stores ten new recovery codes in place of all earlier ones, and returns them. */
  async replace(act: AccountAct): Promise<string[]> {
    await this.end(act);
    return this.insert(act, true);
  }

  /**
   * Stores and returns ten recovery codes that become active by {@link activate}. The active codes stay valid until
   * then.
   */
  async prepare(act: AccountAct): Promise<string[]> {
    await this.codes.remove(act.user.id, false, act.tx);
    return this.insert(act, false);
  }

  async activate(act: AccountAct): Promise<void> {
    await this.end(act);
    await this.codes.activate(act.user.id, act.tx);
  }

  /** Uses up an unused, active code. @returns whether the code was valid */
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

  /** Deletes the active codes and ends the proofs that they have earned. */
  private async end(act: AccountAct): Promise<void> {
    const ended = await this.codes.remove(act.user.id, true, act.tx);
    if (ended > 0) await this.elevatedSessions.endOf(act.user.id, 'recovery_code', act.tx);
  }
}

/** Returns a random code in the form `xxxx-xxxx-xxxx-xxxx-xxxx-xxxx`. */
function newRecoveryCode(): string {
  const digits = Array.from(randomBytes(DIGITS), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
  return digits.replace(/.{4}(?=.)/g, '$&-');
}

/**
 * Returns the hash of a code's digits. Letter case, blanks and dashes are ignored, and letters that look like digits
 * are read as digits.
 */
function hashOf(code: string): Buffer {
  return sha256(typedCode(code).toLowerCase().replaceAll('o', '0').replaceAll(/[il]/g, '1'));
}
