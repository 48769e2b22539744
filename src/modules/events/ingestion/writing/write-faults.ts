import { OutcomeUnknown } from '../../../../platform/database/dedicated-connection.js';

/**
 * `doubt`: it may be written; `passing`: it is not, and trying again may help; `data`: one of the requests does not go
 * in; `exhausted`: the server lacks room; `hopeless`: trying again at once is no use.
 */
export type WriteFault = 'doubt' | 'passing' | 'data' | 'exhausted' | 'hopeless';

/** What an error of the database means for a batch. */
export function writeFaultOf(error: unknown): WriteFault {
  if (error instanceof OutcomeUnknown) return 'doubt';
  const code = (error as { code?: unknown }).code;
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code)) return 'hopeless';
  // An event of ours is there already: a try that was given up has been carried out after all.
  if (code === '23505') return 'doubt';
  // Serialization, deadlock, lock or time limit, and a project that was removed meanwhile.
  if (/^40|^55P03$|^57014$|^23503$/.test(code)) return 'passing';
  if (/^5[378]/.test(code)) return 'exhausted';
  return /^(42|XX|0A|28|3D|25)/.test(code) ? 'hopeless' : 'data';
}
