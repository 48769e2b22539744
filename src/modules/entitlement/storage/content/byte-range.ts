import type { ByteRange } from '../../../../platform/storage/index.js';

/**
 * What a `Range` header asks for of content of so many bytes (RFC 9110 14): one range of bytes; `whole` for several, for a
 * header nobody can read and for none; `unsatisfiable` when it lies behind the end.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '');
  if (match === null) return 'whole';
  const [, from = '', to = ''] = match;
  if (from === '') {
    if (to === '') return 'whole';
    const length = Number(to);
    if (length === 0) return 'unsatisfiable';
    // Of nothing, the last bytes are nothing too: there is no range to name.
    return size === 0 ? 'whole' : { first: Math.max(0, size - length), last: size - 1 };
  }
  const first = Number(from);
  const last = to === '' ? Infinity : Number(to);
  if (last < first) return 'whole';
  return first >= size ? 'unsatisfiable' : { first, last: Math.min(last, size - 1) };
}
