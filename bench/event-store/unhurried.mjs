// Node loads this file before the service. Slow reads may then take two minutes instead of eight seconds, without a
// budget for each organization, so that a bench can measure questions that are otherwise refused.
import { register } from 'node:module';

const FILE = '/long-reads/long-reads.js';
const HOOKS = `
  export async function load(url, context, next) {
    const loaded = await next(url, context);
    if (!url.endsWith('${FILE}')) return loaded;
    const source = String(loaded.source)
      .replace('LONG_READ_MS = 8_000', 'LONG_READ_MS = 120_000')
      .replace('LONG_READ_BUDGET_MS = 40_000', 'LONG_READ_BUDGET_MS = Infinity');
    if (!source.includes('= 120_000') || !source.includes('= Infinity')) throw new Error('the limits of slow reads are not those that this file replaces');
    return { ...loaded, source };
  }`;

register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
