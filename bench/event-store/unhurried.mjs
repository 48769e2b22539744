// Loaded before the service: reads of events may take two minutes in place of eight seconds, and nobody has a budget for
// them, so that a bench can tell what a question takes
// that is refused otherwise.
import { register } from 'node:module';

const FILE = '/long-reads/long-reads.js';
const HOOKS = `
  export async function load(url, context, next) {
    const loaded = await next(url, context);
    if (!url.endsWith('${FILE}')) return loaded;
    const source = String(loaded.source)
      .replace('LONG_READ_MS = 8_000', 'LONG_READ_MS = 120_000')
      .replace('LONG_READ_BUDGET_MS = 40_000', 'LONG_READ_BUDGET_MS = Infinity');
    if (!source.includes('= 120_000') || !source.includes('= Infinity')) throw new Error('reads have another limit than this file knows');
    return { ...loaded, source };
  }`;

register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
