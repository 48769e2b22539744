import type { ByteRange } from '../../../../platform/storage/index.js';

/**
 * Returns what a `Range` header requests of content of `size` bytes (RFC 9110 14): one range of bytes; `whole` for
 * several ranges, for an unreadable header and for none; `unsatisfiable` when the range starts after the end.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '');
  if (match === null) return 'whole';
  const [, from = '', to = ''] = match;
  if (from === '') {
    if (to === '') return 'whole';
    const length = Number(to);
    if (length === 0) return 'unsatisfiable';
    // The last bytes of empty content are empty too, so there is no range to name.
    return size === 0 ? 'whole' : { first: Math.max(0, size - length), last: size - 1 };
  }
  const first = Number(from);
  const last = to === '' ? Infinity : Number(to);
  if (last < first) return 'whole';
  return first >= size ? 'unsatisfiable' : { first, last: Math.min(last, size - 1) };
}
