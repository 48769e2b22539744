import { errorCode, errorMessage } from '../../../platform/errors/index.js';
import { redactText } from '../../../platform/telemetry/index.js';

/** Codes of the operating system and of PostgreSQL in plain words. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at the address',
  ECONNRESET: 'the connection was ended',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ETIMEDOUT: 'no answer in time',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'it is no folder',
  '28P01': 'the password is wrong',
  '28000': 'the role may not connect',
  '3D000': 'the database does not exist',
  '53300': 'all connections are in use',
  '57P03': 'the server is starting',
  '57014': 'a statement took too long',
};

/** Returns a short reason in plain words, without addresses, statements or credentials. */
export function reason(error: unknown): string {
  const { cause, errors, name } = (error ?? {}) as { cause?: unknown; errors?: unknown[]; name?: string };
  const code = errorCode(error) ?? errorCode(cause) ?? errorCode(errors?.[0]);
  if (code !== undefined) return WORDS[code] === undefined ? code : `${WORDS[code]}, ${code}`;
  if (name === 'TimeoutError' || name === 'AbortError') return 'no answer in time';
  const inner = (cause as { name?: string } | undefined)?.name;
  if (inner !== undefined && inner !== 'Error') return inner;
  return redactText(errorMessage(error).split('\n')[0] ?? '').slice(0, 200);
}
