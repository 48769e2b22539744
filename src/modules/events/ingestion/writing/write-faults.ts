import { OutcomeUnknown } from '../../../../platform/database/dedicated-connection.js';

/**
 * `doubt`: the batch may have been written. `passing`: it was not written, and an immediate retry may help. `data`: the
 * data of one of the requests is refused. `exhausted`: the server lacks resources. `hopeless`: an immediate retry does
 * not help.
 */
export type WriteFault = 'doubt' | 'passing' | 'data' | 'exhausted' | 'hopeless';

/** Returns what an error of the database means for a batch. */
export function writeFaultOf(error: unknown): WriteFault {
  if (error instanceof OutcomeUnknown) return 'doubt';
  const code = (error as { code?: unknown }).code;
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code)) return 'hopeless';
  // The event is stored already: an attempt that was given up was carried out after all.
  if (code === '23505') return 'doubt';
  // These codes are serialization failure, deadlock, lock or statement timeout, and a project that was removed
  // meanwhile.
  if (/^40|^55P03$|^57014$|^23503$/.test(code)) return 'passing';
  if (/^5[378]/.test(code)) return 'exhausted';
  return /^(42|XX|0A|28|3D|25)/.test(code) ? 'hopeless' : 'data';
}
