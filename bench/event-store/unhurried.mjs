// Loaded before the service: reads of events may take two minutes in place of eight seconds, so that a bench can tell what a question takes
// that is refused otherwise.
import { register } from 'node:module';

const FILE = '/long-reads/long-reads.js';
const HOOKS = `
  export async function load(url, context, next) {
    const loaded = await next(url, context);
    if (!url.endsWith('${FILE}')) return loaded;
    const source = String(loaded.source).replace('LONG_READ_MS = 8_000', 'LONG_READ_MS = 120_000');
    if (source === String(loaded.source)) throw new Error('reads have another limit than this file knows');
    return { ...loaded, source };
  }`;

register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
