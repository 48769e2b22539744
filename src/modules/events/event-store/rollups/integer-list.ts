const MINUS = 0x2d;
const ZERO = 0x30;

/**
 * The whole numbers of an array as PostgreSQL writes it, `{1,2,-3}`, which has no null. Much faster than the general
 * reader of arrays, and sketches are most of what a read brings.
 */
export function integerList(text: string): number[] {
  const numbers: number[] = [];
  if (text.length <= 2) return numbers;
  let [value, sign] = [0, 1];
  for (let at = 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= ZERO && code <= ZERO + 9) value = value * 10 + code - ZERO;
    else if (code === MINUS) sign = -1;
    else {
      numbers.push(sign * value);
      [value, sign] = [0, 1];
    }
  }
  return numbers;
}
